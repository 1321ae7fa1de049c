// Fields as colours on a canvas.

const SIDE = 288;

function colourTable(hex) {
  const table = new Uint8ClampedArray(256 * 3);
  for (let i = 0; i < table.length; i++) table[i] = parseInt(hex.substr(2 * i, 2), 16);
  return table;
}

// Draws values on two axes in the aspect of the domain: axis `right` to the right, the other upwards.
function drawMap(canvas, values, shape, right, [low, high], table, mark, aspect) {
  const [width, height] = [shape[right], shape[1 - right]];
  const small = document.createElement("canvas");
  [small.width, small.height] = [width, height];
  const image = new ImageData(width, height);
  for (let i = 0; i < width; i++) {
    for (let j = 0; j < height; j++) {
      const t = (values[right ? j * width + i : i * height + j] - low) / (high - low);
      const colour = 3 * Math.round(255 * Math.min(1, Math.max(0, t || 0)));
      const pixel = 4 * ((height - 1 - j) * width + i);
      image.data.set(table.subarray(colour, colour + 3), pixel);
      image.data[pixel + 3] = 255;
    }
  }
  small.getContext("2d").putImageData(image, 0, 0);
  canvas.width = Math.round(SIDE / Math.sqrt(aspect));
  canvas.height = Math.round(SIDE * Math.sqrt(aspect));
  canvas.style.aspectRatio = `1 / ${aspect}`;
  const context = canvas.getContext("2d");
  context.imageSmoothingEnabled = false;
  context.drawImage(small, 0, 0, canvas.width, canvas.height);
  if (mark) drawMark(canvas, mark);
}

// A ring that is seen on every colour; the place in shares of the sides.
function drawMark(canvas, [x, y]) {
  const context = canvas.getContext("2d");
  for (const [colour, width] of [["#000", 6], ["#fff", 2.5]]) {
    context.beginPath();
    context.arc(x * canvas.width, (1 - y) * canvas.height, 10, 0, 2 * Math.PI);
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.stroke();
  }
}

function drawScale(canvas, table) {
  [canvas.width, canvas.height] = [256, 1];
  const image = new ImageData(256, 1);
  for (let i = 0; i < 256; i++) {
    image.data.set(table.subarray(3 * i, 3 * i + 3), 4 * i);
    image.data[4 * i + 3] = 255;
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") made.className = value;
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

// A row of maps that share a scale. tiles: {title, note, values, chosen}; label: {name, units}.
function mapStrip({ title, tiles, shape, right, aspect, range, table, label, mark, pick }) {
  const made = tiles.map((tile) => {
    const canvas = element("canvas", {
      class: "map",
      role: "img",
      "aria-label": `${title}: ${tile.title}`,
      onclick: (event) => {
        const box = canvas.getBoundingClientRect();
        pick((event.clientX - box.left) / box.width, 1 - (event.clientY - box.top) / box.height);
      },
    });
    drawMap(canvas, tile.values, shape, right, range, table, mark, aspect);
    const note = tile.note == null ? null : element("small", {}, tile.note);
    const caption = element("figcaption", {}, tile.title, note);
    return element("figure", { class: tile.chosen ? "tile chosen" : "tile" }, caption, canvas);
  });
  const bar = element("canvas", { role: "img", "aria-label": "colour scale" });
  drawScale(bar, table);
  const { power, texts } = ends(range);
  const scale = element(
    "div",
    { class: "scale" },
    element("span", {}, texts[0]),
    bar,
    element("span", {}, texts[1]),
    element("span", {}, labelled(label, power)),
  );
  const heading = title ? element("h3", {}, title) : null;
  return element("div", { class: title ? "strip" : "" }, heading, element("div", { class: "tiles", style: `--map:${(8.2 / Math.sqrt(aspect)).toFixed(2)}rem` }, ...made), scale);
}
