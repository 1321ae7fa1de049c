// Numbers and names of quantities as text: powers of ten stand with the unit, as in all figures.

const LONG = 1e5;
const SHORT = 1e-2;

function raised(power) {
  const digits = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
  return Array.from(String(power), (digit) => digits[digit]).join("");
}

function exponent(number) {
  return Math.floor(Math.log10(number) + 1e-9);
}

// The power of ten that numbers of this size share; none where they are short as they are.
function sharedPower(largest) {
  return largest >= LONG || (largest > 0 && largest < SHORT) ? exponent(largest) : 0;
}

function minus(text) {
  return text.replace("-", "−");
}

// "pressure [10⁵ Pa]"; units are null where they are not known, and 1 for a pure number.
function labelled(label, power = 0) {
  return label.name + unitText(label, power);
}

function unitText({ units }, power) {
  const isPure = units === "1";
  const parts = [];
  if (power) parts.push(`10${raised(power)}`);
  if (isPure && !power) parts.push("–");
  if (units && !isPure) parts.push(units);
  return parts.length ? ` [${parts.join(" ")}]` : "";
}

// A number by itself, with three digits.
function shown(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1e-3 && size < LONG) return minus(value.toPrecision(3).includes("e") ? value.toFixed(0) : value.toPrecision(3));
  const [digits, power] = value.toExponential(2).split("e");
  return `${minus(digits)}·10${raised(Number(power))}`;
}

// A number with its unit.
function measured(value, { units }) {
  return units && units !== "1" ? `${shown(value)}\u00a0${units}` : shown(value);
}

// The ends of a range as text, and the power by which they are to be multiplied.
function ends([low, high]) {
  const power = sharedPower(Math.max(Math.abs(low), Math.abs(high)));
  const unit = 10 ** power;
  const length = (high - low || Math.abs(low)) / unit;
  // The fewest decimals that give both to a thousandth of the length.
  const suffices = (decimals) => [low, high].every((end) => Math.abs(Number((end / unit).toFixed(decimals)) - end / unit) <= 1e-3 * length);
  let decimals = 0;
  while (decimals < 12 && !suffices(decimals)) decimals++;
  const text = (end) => minus((end / unit).toFixed(decimals)).replace(/^−?0(\.0*)?$/, "0");
  return { power, texts: [text(low), text(high)] };
}

// Round ticks inside a range, and the power by which their texts are to be multiplied.
function ticks([low, high], about) {
  const rough = (high - low) / about;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * magnitude).find((s) => s >= rough * 0.999);
  const all = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) all.push(i * step);
  const largest = Math.max(...all.map(Math.abs), step);
  const isLong = largest >= LONG * (1 - 1e-9) || (largest < 1 && exponent(step) < -4);
  const power = isLong ? exponent(largest) : 0;
  const digits = Math.min(15, Math.max(0, power - exponent(step)));
  const text = (at) => minus((at / 10 ** power).toFixed(digits)).replace(/^−?0(\.0*)?$/, "0");
  return { power, all: all.map((at) => ({ at, text: text(at) })) };
}

// How wide a text is in a chart, whose letters are 14 high.
const ruler = document.createElement("canvas").getContext("2d");
ruler.font = "14px system-ui,sans-serif";
function textWidth(text) {
  return ruler.measureText(text).width;
}

// A label that takes no more than this room: smaller, and with the name, not the unit, cut if need be.
function fitted(label, power, room) {
  const unit = unitText(label, power);
  const size = Math.max(10.5, Math.min(14, (14 * room) / textWidth(label.name + unit)));
  let name = label.name;
  while (name.length > 1 && (textWidth(name + unit) * size) / 14 > room + 0.5) name = `${name.replace(/…$/, "").slice(0, -1)}…`;
  return { text: name + unit, size };
}
