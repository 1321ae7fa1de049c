"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
  const places = new Float64Array(bytes(data.places)), weights = new Float64Array(bytes(data.weights));
  const mean = new Float64Array(bytes(data.mean)), widths = new Float32Array(bytes(data.widths));
  const members = new Float32Array(bytes(data.members));
  const size = mean.length, count = data.count, d = data.parameters.length;
  const channels = data.channels.length, points = size / 4 / channels;
  const mesh = data.mesh && { ...data.mesh, points: new Float64Array(bytes(data.mesh.points)) };

  // c(t) = sum_i w_i |s (t - t_i)|^3 + b_0 + b . t, and the field of these coefficients.
  function at(parameters) {
    const t = parameters.map((value, k) => {
      const { from, to } = data.parameters[k];
      return to > from ? (data.scales[k] * (value - from)) / (to - from) : 0;
    });
    const coefficients = new Float64Array(count), n = places.length / Math.max(d, 1);
    const add = (factor, row) => {
      for (let k = 0; k < count; k++) coefficients[k] += factor * weights[row * count + k];
    };
    for (let i = 0; i < n; i++) {
      let square = 0;
      for (let k = 0; k < d; k++) square += (t[k] - places[i * d + k]) ** 2;
      add(square * Math.sqrt(square), i);
    }
    add(1, n);
    for (let k = 0; k < d; k++) add(t[k], n + 1 + k);
    const field = new Float64Array(size);
    for (let k = 0; k < count; k++) {
      for (let i = 0; i < size; i++) field[i] += coefficients[k] * members[k * size + i];
    }
    for (let i = 0; i < size; i++) field[i] = mean[i] + widths[i] * field[i];
    return field;
  }

  // [statistic, channel, point]
  const part = (field, statistic, channel) => {
    const start = (statistic * channels + channel) * points;
    return field.subarray(start, start + points);
  };
  const statistics = (field, channel) => {
    const [m, s, low, high] = [0, 1, 2, 3].map((k) => part(field, k, channel));
    return { mean: m, std: s.map((v) => Math.max(v, 0)), q05: low, q95: high };
  };

  const form = document.getElementById("controls"), canvas = document.getElementById("canvas");
  const reading = document.getElementById("reading"), context = canvas.getContext("2d");
  const values = data.parameters.map(({ from, to }) => (from + to) / 2);
  const digits = (v) => (v === 0 ? "0" : Number(v.toPrecision(4)).toString());
  const withUnits = ({ name, units }) => (units ? `${name} [${units}]` : name);
  const element = (tag, attributes = {}, parent = form) => {
    const made = Object.assign(document.createElement(tag), attributes);
    parent.append(made);
    return made;
  };

  data.parameters.forEach((parameter, k) => {
    const label = element("label");
    const line = element("span", {}, label);
    element("b", { textContent: withUnits(parameter) }, line);
    const { from, to } = parameter, step = to > from ? (to - from) / 1000 : 1;
    const number = element("input", { type: "number", min: from, max: to, step: "any", value: digits(values[k]) }, line);
    const slider = element("input", { type: "range", min: 0, max: 1000, step: 1, value: 500, disabled: to <= from }, label);
    number.setAttribute("aria-label", `${parameter.name}, number`);
    slider.setAttribute("aria-label", parameter.name);
    slider.dataset.parameter = parameter.name;
    slider.addEventListener("input", () => {
      values[k] = from + step * slider.value;
      number.value = digits(values[k]);
      draw();
    });
    number.addEventListener("change", () => {
      const given = Number(number.value);
      values[k] = Number.isFinite(given) && number.value !== "" ? Math.min(to, Math.max(from, given)) : values[k];
      number.value = digits(values[k]);
      slider.value = to > from ? (values[k] - from) / step : 500;
      draw();
    });
  });

  const select = (name, options) => {
    const label = element("label");
    element("span", { textContent: name }, label);
    const made = element("select", {}, label);
    options.forEach((text, k) => element("option", { value: k, textContent: text }, made));
    made.setAttribute("aria-label", name);
    made.addEventListener("change", draw);
    label.hidden = options.length < 2;
    return made;
  };
  const shape = data.axes.map((axis) => axis.coordinates.length);
  const isScalar = points === 1, isCurve = !isScalar && (mesh ? mesh.dimension === 1 : shape.length === 1);
  const channel = select("Channel", data.channels.map(withUnits));
  const shown = select("Shown", isScalar || isCurve ? ["mean and 90 % interval"] :
    ["mean", "standard deviation", "5 % quantile", "95 % quantile"]);
  const layers = !mesh && shape.length === 3 ? shape[0] : 1;
  const plane = select("Plane", Array.from({ length: layers }, (_, k) =>
    layers > 1 ? `${data.axes[0].name} = ${digits(data.axes[0].coordinates[k])}` : ""));
  if (layers > 1) plane.value = Math.floor(layers / 2);

  // Viridis by its polynomial fit (M. Zucker).
  const colour = (x) => {
    const t = Math.min(1, Math.max(0, x)), c = [
      [0.2777, 0.0054, 0.3341], [0.1051, 1.4046, 1.3846], [-0.3309, 0.2148, 0.0951],
      [-4.6342, -5.7991, -19.3324], [6.2283, 14.1799, 56.6906], [4.7764, -13.7451, -65.353], [-5.4355, 4.6459, 26.3124]];
    const rgb = [0, 1, 2].map((k) => c.reduceRight((sum, row) => sum * t + row[k], 0));
    return `rgb(${rgb.map((v) => Math.round(255 * Math.min(1, Math.max(0, v)))).join(",")})`;
  };
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
  const isOutside = (i) => data.outside.length > 0 && data.outside[i];

  let hits = [], field = null;

  function draw() {
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = "12px system-ui, sans-serif";
    field = at(values);
    const own = statistics(field, Number(channel.value));
    hits = [];
    if (isScalar) scalar(own, width, height);
    else if (isCurve) curve(own, width, height);
    else map(own, width, height);
    if (isScalar) read(0);
    else reading.textContent = "Point at the picture to read values.";
  }

  const text = (words, x, y, align = "center") => {
    context.fillStyle = style("--ink");
    context.textAlign = align;
    context.fillText(words, x, y);
  };
  const valueRange = (c) => {
    const low = data.ranges[2 * channels + c][0], high = data.ranges[3 * channels + c][1];
    const room = 0.05 * (high - low) || 1;
    return [low - room, high + room];
  };

  function axes([x0, x1], [y0, y1], width, height, xName, yName) {
    const box = { left: 70, right: width - 15, top: 20, bottom: height - 45 };
    const x = (v) => box.left + ((v - x0) / (x1 - x0 || 1)) * (box.right - box.left);
    const y = (v) => box.bottom - ((v - y0) / (y1 - y0 || 1)) * (box.bottom - box.top);
    context.strokeStyle = style("--line");
    context.strokeRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
    for (let k = 0; k <= 4; k++) {
      const [a, b] = [x0 + (k / 4) * (x1 - x0), y0 + (k / 4) * (y1 - y0)];
      if (xName) text(digits(a), x(a), box.bottom + 16);
      if (yName) text(digits(b), box.left - 6, y(b) + 4, "right");
    }
    text(xName, (box.left + box.right) / 2, height - 10);
    text(yName, box.left, 13, "left");
    return { x, y };
  }

  function curve(own, width, height) {
    const c = Number(channel.value);
    const coordinates = mesh ? Array.from({ length: points }, (_, i) => mesh.points[3 * i]) : data.axes[0].coordinates;
    const order = coordinates.map((_, i) => i).sort((a, b) => coordinates[a] - coordinates[b]).filter((i) => !isOutside(i));
    const ends = [coordinates[order[0]], coordinates[order[order.length - 1]]];
    const { x, y } = axes(ends, valueRange(c), width, height, mesh ? "x" : withUnits(data.axes[0]), withUnits(data.channels[c]));
    context.beginPath();
    order.forEach((i) => context.lineTo(x(coordinates[i]), y(own.q95[i])));
    [...order].reverse().forEach((i) => context.lineTo(x(coordinates[i]), y(own.q05[i])));
    context.fillStyle = style("--band");
    context.fill();
    context.beginPath();
    order.forEach((i) => context.lineTo(x(coordinates[i]), y(own.mean[i])));
    context.strokeStyle = style("--curve");
    context.lineWidth = 2;
    context.stroke();
    context.lineWidth = 1;
    hits = order.map((i) => [x(coordinates[i]), null, i]);
  }

  function scalar(own, width, height) {
    const c = Number(channel.value);
    const { y } = axes([0, 1], valueRange(c), width, height, "", withUnits(data.channels[c]));
    const [left, right] = [0.35 * width, 0.65 * width];
    context.fillStyle = style("--band");
    context.fillRect(left, y(own.q95[0]), right - left, y(own.q05[0]) - y(own.q95[0]));
    context.strokeStyle = style("--curve");
    context.lineWidth = 3;
    context.beginPath();
    context.moveTo(left, y(own.mean[0]));
    context.lineTo(right, y(own.mean[0]));
    context.stroke();
    context.lineWidth = 1;
  }

  // Where points are seen: in the plane, or in space from the side and above.
  function seen(i) {
    const [x, y, z] = mesh.points.subarray(3 * i, 3 * i + 3);
    if (mesh.dimension < 3) return [x, y, 0];
    const a = -Math.PI / 3, e = Math.PI / 6, [c, s] = [Math.cos(a), Math.sin(a)];
    const depth = c * x + s * y;
    return [c * y - s * x, z * Math.cos(e) - depth * Math.sin(e), depth * Math.cos(e) + z * Math.sin(e)];
  }

  function map(own, width, height) {
    const c = Number(channel.value), which = Number(shown.value);
    const shownValues = [own.mean, own.std, own.q05, own.q95][which];
    const [low, high] = which === 1 ? [0, data.ranges[channels + c][1]] : valueRange(c);
    const share = (v) => (v - low) / (high - low || 1);
    const frame = { width: width - 110, height: height - 50 };
    if (mesh) meshMap(shownValues, share, frame);
    else gridMap(shownValues, share, frame);
    const bar = { left: width - 95, top: 20, height: height - 60 };
    for (let k = 0; k < bar.height; k++) {
      context.fillStyle = colour(1 - k / bar.height);
      context.fillRect(bar.left, bar.top + k, 16, 1.5);
    }
    for (let k = 0; k <= 4; k++) {
      text(digits(low + (k / 4) * (high - low)), bar.left + 22, bar.top + bar.height * (1 - k / 4) + 4, "left");
    }
    text(withUnits(data.channels[c]), width - 5, 13, "right");
  }

  function fitted(x0, x1, y0, y1, frame, isFree) {
    const [w, h] = [x1 - x0 || 1, y1 - y0 || 1];
    let [sx, sy] = [frame.width / w, frame.height / h];
    if (!isFree) sx = sy = Math.min(sx, sy);
    return (x, y) => [10 + (x - x0) * sx, 20 + frame.height - (y - y0) * sy];
  }

  function meshMap(values, share, frame) {
    const all = Array.from({ length: points }, (_, i) => seen(i));
    const ends = [0, 1].map((k) => [Math.min(...all.map((p) => p[k])), Math.max(...all.map((p) => p[k]))]);
    const place = fitted(...ends[0], ...ends[1], frame, false);
    const at2 = all.map((p) => place(p[0], p[1]));
    const triangles = mesh.triangles.slice();
    if (mesh.dimension === 3) {
      const depth = (t) => all[t[0]][2] + all[t[1]][2] + all[t[2]][2];
      triangles.sort((a, b) => depth(a) - depth(b));
    }
    for (const [a, b, c] of triangles) {
      context.beginPath();
      [a, b, c].forEach((i) => context.lineTo(...at2[i]));
      context.closePath();
      context.fillStyle = context.strokeStyle = colour(share((values[a] + values[b] + values[c]) / 3));
      context.fill();
      context.stroke();
    }
    if (!triangles.length) {
      at2.forEach(([x, y], i) => {
        context.fillStyle = colour(share(values[i]));
        context.fillRect(x - 3, y - 3, 6, 6);
      });
    }
    hits = at2.map(([x, y], i) => [x, y, i]);
  }

  function gridMap(values, share, frame) {
    const [first, second] = data.axes.slice(-2), start = layers > 1 ? Number(plane.value) * shape[1] * shape[2] : 0;
    const isFirstRight = data.axes.length === 2 && data.rightward === 0;
    const [right, up] = isFirstRight ? [first, second] : [second, first];
    const columns = right.coordinates.length, rows = up.coordinates.length;
    const place = fitted(0, columns, 0, rows, frame, columns / rows > 4 || rows / columns > 4);
    for (let r = 0; r < rows; r++) {
      for (let k = 0; k < columns; k++) {
        const i = start + (isFirstRight ? k * rows + r : r * columns + k);
        if (isOutside(i)) continue;
        const [x, y] = place(k, r + 1), [x1, y1] = place(k + 1, r);
        context.fillStyle = colour(share(values[i]));
        context.fillRect(x, y, x1 - x + 0.5, y1 - y + 0.5);
        hits.push([(x + x1) / 2, (y + y1) / 2, i]);
      }
    }
    text(`to the right: ${withUnits(right)}; upwards: ${withUnits(up)}`, 10, 40 + frame.height, "left");
  }

  function read(i) {
    const own = statistics(field, Number(channel.value));
    reading.textContent = `mean ${digits(own.mean[i])}, standard deviation ${digits(own.std[i])}, ` +
      `90 % interval ${digits(own.q05[i])} to ${digits(own.q95[i])}`;
  }

  canvas.addEventListener("pointermove", (event) => {
    let best = null, nearest = Infinity;
    for (const [x, y, i] of hits) {
      const square = (x - event.offsetX) ** 2 + (y === null ? 0 : (y - event.offsetY) ** 2);
      if (square < nearest) [best, nearest] = [i, square];
    }
    if (best !== null) read(best);
  });
  window.addEventListener("resize", draw);
  draw();
  // For other programs: the statistics at parameters, and those that are shown.
  window.live = {
    at: (parameters, c = 0) => Object.fromEntries(Object.entries(statistics(at(parameters), c)).map(([k, v]) => [k, [...v]])),
    values: () => [...values],
    shown: () => Object.fromEntries(Object.entries(statistics(field, Number(channel.value))).map(([k, v]) => [k, [...v]])),
  };
  document.documentElement.dataset.ready = "true";
})();
