// Curves as SVG.

const CHART = { width: 480, height: 270, left: 58, right: 470, top: 12, bottom: 226 };

function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function words(content, attributes) {
  const made = svg("text", { style: "fill:var(--grey)", ...attributes });
  made.textContent = content;
  return made;
}

// As many ticks as have room for their texts between two places.
function roomyTicks(range, from, to) {
  for (let about = 5; about > 1; about--) {
    const found = ticks(range, about);
    const taken = found.all.reduce((sum, tick) => sum + textWidth(tick.text) + 10, 0);
    if (taken <= to - from) return found;
  }
  return ticks(range, 1);
}

// The two axes of a chart: where values lie, and the drawing of ticks and names.
function axes({ x, y, xLabel, yLabel }) {
  const { width, height, top, bottom } = CHART;
  const upward = ticks(y, 5);
  const left = Math.max(CHART.left, 28 + Math.max(...upward.all.map((tick) => textWidth(tick.text))));
  const sideward = roomyTicks(x, left, CHART.right);
  const last = sideward.all[sideward.all.length - 1];
  const right = Math.min(CHART.right, width - 4 - (last ? textWidth(last.text) / 2 : 0));
  const atX = (v) => left + ((v - x[0]) / (x[1] - x[0])) * (right - left);
  const atY = (v) => bottom - ((v - y[0]) / (y[1] - y[0])) * (bottom - top);
  const parts = [];
  for (const tick of upward.all) {
    parts.push(svg("path", { d: `M${left} ${atY(tick.at)}H${right}`, style: "stroke:var(--grid)" }));
    parts.push(words(tick.text, { x: left - 7, y: atY(tick.at) + 4.5, "text-anchor": "end" }));
  }
  for (const tick of sideward.all) {
    parts.push(svg("path", { d: `M${atX(tick.at)} ${bottom}v5`, style: "stroke:var(--grey)" }));
    parts.push(words(tick.text, { x: atX(tick.at), y: bottom + 19, "text-anchor": "middle" }));
  }
  const [middle, centre] = [(left + right) / 2, (top + bottom) / 2];
  const below = fitted(xLabel, sideward.power, 2 * Math.min(middle, width - middle) - 6);
  parts.push(words(below.text, { x: middle, y: height - 6, "text-anchor": "middle", "font-size": below.size }));
  const beside = fitted(yLabel, upward.power, 2 * Math.min(centre, height - centre) - 6);
  parts.push(words(beside.text, { transform: `translate(12 ${centre}) rotate(-90)`, "text-anchor": "middle", "font-size": beside.size }));
  return { left, right, atX, atY, parts };
}

// series: {x, y, band: {lower, upper}, colour, dash, width, opacity}; lines: vertical {x, colour, dash}.
// Labels are {name, units}.
function chart({ title, xLabel, yLabel, x, y, series, lines = [], pick }) {
  const { width, height, top, bottom } = CHART;
  if (!(x[1] > x[0])) x = widened(x, 0);
  const { left, right, atX, atY, parts } = axes({ x, y, xLabel, yLabel });
  const clip = `clip${chart.count = (chart.count ?? 0) + 1}`;
  const root = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": title,
    "font-family": "system-ui,sans-serif",
    "font-size": 14,
    class: pick ? "plot" : "",
  });
  root.append(svg("clipPath", { id: clip }, svg("rect", { x: left, y: top, width: right - left, height: bottom - top })));
  root.append(...parts);
  const inside = svg("g", { "clip-path": `url(#${clip})` });
  for (const one of series) if (one.band) inside.append(band(one, atX, atY));
  for (const one of series) inside.append(...curve(one, atX, atY));
  for (const line of lines) {
    const dash = line.dash ? `;stroke-dasharray:${line.dash}` : "";
    inside.append(svg("path", { d: `M${atX(line.x)} ${top}V${bottom}`, style: `stroke:var(--${line.colour});stroke-width:${line.width ?? 2}${dash}` }));
  }
  root.append(inside, svg("path", { d: `M${left} ${bottom}H${right}`, style: "stroke:var(--grey)" }));
  if (pick) {
    root.addEventListener("click", (event) => {
      const box = root.getBoundingClientRect();
      const at = ((event.clientX - box.left) / box.width) * width;
      pick(x[0] + ((at - left) / (right - left)) * (x[1] - x[0]));
    });
  }
  return root;
}

// A band around a curve; that of a single point has a width of its own.
function band({ x, band: { lower: below, upper: above }, colour, opacity }, atX, atY) {
  const places = Array.from(x, atX);
  const upper = Array.from(above, atY);
  const lower = Array.from(below, atY);
  const edge = (ys, shift) => ys.map((v, i) => `${(places[i] + shift).toFixed(1)} ${v.toFixed(1)}`);
  const there = places.length > 1 ? edge(upper, 0) : [...edge(upper, -8), ...edge(upper, 8)];
  const back = places.length > 1 ? edge(lower, 0).reverse() : [...edge(lower, 8), ...edge(lower, -8)];
  return svg("path", { d: `M${[...there, ...back].join("L")}Z`, style: `fill:var(--${colour});fill-opacity:${opacity ?? 0.3}` });
}

// A line, or the mark of a single point.
function curve({ x, y, colour, dash, width }, atX, atY) {
  if (x.length === 1) return [svg("circle", { cx: atX(x[0]), cy: atY(y[0]), r: 4, style: `fill:var(--${colour})` })];
  const path = Array.from(y, (v, i) => `${i ? "L" : "M"}${atX(x[i]).toFixed(1)} ${atY(v).toFixed(1)}`).join("");
  const dashes = dash ? `;stroke-dasharray:${dash}` : "";
  return [svg("path", { d: path, style: `fill:none;stroke:var(--${colour});stroke-width:${width ?? 2}${dashes}` })];
}

// A legend that wraps: {name, colour, dash, width}.
function legend(entries) {
  const made = entries.map(({ name, colour, dash, width }) => {
    const style = `stroke:var(--${colour});stroke-width:${width ?? 3}${dash ? `;stroke-dasharray:${dash}` : ""}`;
    const line = svg("svg", { viewBox: "0 0 26 10", style: "width:26px;height:10px;display:inline-block;margin-right:.35rem", "aria-hidden": "true" }, svg("path", { d: "M0 5H26", style }));
    return element("span", { style: "white-space:nowrap" }, line, name);
  });
  return element("div", { class: "scale" }, ...made);
}
