// Curves as SVG.

const CHART = { width: 480, height: 270, left: 58, right: 470, top: 12, bottom: 226 };

function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// Round ticks inside a range.
function ticks([low, high], about) {
  const rough = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough * 0.999);
  const all = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) all.push(i * step);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return all.map((at) => ({
    at,
    text: (digits > 5 || Math.abs(high) >= 1e6 ? at.toExponential(1) : at.toFixed(digits)).replace("-", "−"),
  }));
}

// series: {x, y, half, colour, dash, width, opacity, name}; lines: vertical {x, colour, dash}.
function chart({ title, xLabel, yLabel, x, y, series, lines = [], pick }) {
  const { width, height, left, right, top, bottom } = CHART;
  const atX = (v) => left + ((v - x[0]) / (x[1] - x[0])) * (right - left);
  const atY = (v) => bottom - ((v - y[0]) / (y[1] - y[0])) * (bottom - top);
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
  const text = (words, attributes) => {
    const made = svg("text", { style: "fill:var(--grey)", ...attributes });
    made.textContent = words;
    return made;
  };
  for (const tick of ticks(y, 4)) {
    root.append(svg("path", { d: `M${left} ${atY(tick.at)}H${right}`, style: "stroke:var(--grid)" }));
    root.append(text(tick.text, { x: left - 7, y: atY(tick.at) + 4.5, "text-anchor": "end" }));
  }
  for (const tick of ticks(x, 5)) {
    root.append(svg("path", { d: `M${atX(tick.at)} ${bottom}v5`, style: "stroke:var(--grey)" }));
    root.append(text(tick.text, { x: atX(tick.at), y: bottom + 19, "text-anchor": "middle" }));
  }
  root.append(text(xLabel, { x: (left + right) / 2, y: height - 6, "text-anchor": "middle" }));
  root.append(text(yLabel, { transform: `translate(12 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }));
  const inside = svg("g", { "clip-path": `url(#${clip})` });
  const path = (xs, ys) => Array.from(ys, (v, i) => `${i ? "L" : "M"}${atX(xs[i]).toFixed(1)} ${atY(v).toFixed(1)}`).join("");
  for (const one of series) {
    if (!one.half) continue;
    const upper = path(one.x, one.y.map((v, i) => v + one.half[i]));
    const back = Array.from(one.y, (v, i) => [one.x[i], v - one.half[i]]).reverse();
    const lower = back.map(([a, b]) => `L${atX(a).toFixed(1)} ${atY(b).toFixed(1)}`).join("");
    inside.append(svg("path", { d: `${upper}${lower}Z`, style: `fill:var(--${one.colour});fill-opacity:${one.opacity ?? 0.3}` }));
  }
  for (const one of series) {
    const dash = one.dash ? `;stroke-dasharray:${one.dash}` : "";
    inside.append(svg("path", { d: path(one.x, one.y), style: `fill:none;stroke:var(--${one.colour});stroke-width:${one.width ?? 2}${dash}` }));
  }
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

// A legend that wraps: {name, colour, dash, width}.
function legend(entries) {
  const made = entries.map(({ name, colour, dash, width }) => {
    const style = `stroke:var(--${colour});stroke-width:${width ?? 3}${dash ? `;stroke-dasharray:${dash}` : ""}`;
    const line = svg("svg", { viewBox: "0 0 26 10", style: "width:26px;height:10px;display:inline-block;margin-right:.35rem", "aria-hidden": "true" }, svg("path", { d: "M0 5H26", style }));
    return element("span", { style: "white-space:nowrap" }, line, name);
  });
  return element("div", { class: "scale" }, ...made);
}
