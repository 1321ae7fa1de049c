// The data of the page: unpacked, and read as fields.

async function unpack(text) {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("this browser is too old for the interactive part; one of 2023 or later shows it");
  }
  const letters = atob(text.trim());
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const buffer = await new Response(stream).arrayBuffer();
  const length = new DataView(buffer).getUint32(0, true);
  const facts = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  // A copy, so that words of two bytes begin at even places.
  return { facts, blob: buffer.slice(4 + length) };
}

// Numbers stored as words between the smallest and the largest of them, channel by channel.
function fields(blob, places) {
  const all = new Float32Array(places.reduce((sum, place) => sum + place.length, 0));
  let start = 0;
  for (const place of places) {
    const stored = new Uint16Array(blob, place.at, place.length);
    const step = (place.high - place.low) / 65535;
    stored.forEach((word, i) => (all[start + i] = place.low + step * word));
    start += place.length;
  }
  return all;
}

// Differences from the mean in standard deviations, a byte each.
function anomalies(blob, place) {
  return { codes: new Uint8Array(blob, place.at, place.length), step: place.reach / 127.5 };
}

class Distribution {
  constructor(blob, facts) {
    this.mean = fields(blob, facts.mean);
    this.deviation = facts.deviation && fields(blob, facts.deviation);
    this.quantiles = facts.quantiles && anomalies(blob, facts.quantiles);
    this.realizations = facts.realizations && anomalies(blob, facts.realizations);
    this.kept = facts.kept;
  }

  // One realization, or the only field of a deterministic method.
  realization(index) {
    if (!this.deviation || !this.kept) return this.mean;
    const { codes, step } = this.realizations;
    const start = (index % this.kept) * this.mean.length;
    return this.mean.map((m, i) => m + this.deviation[i] * (codes[start + i] - 127.5) * step);
  }

  // The quantiles at one of the kept values, ascending; `value` is its place in the field.
  quantilesAt(kept, count, value) {
    const { codes, step } = this.quantiles;
    const levels = codes.length / count;
    const out = new Float32Array(levels);
    for (let l = 0; l < levels; l++) {
      out[l] = this.mean[value] + this.deviation[value] * (codes[l * count + kept] - 127.5) * step;
    }
    return out;
  }
}

// The quantile of a level, from quantiles at given levels.
function quantileAt(quantiles, levels, level) {
  const last = levels.length - 1;
  let l = 0;
  while (l < last - 1 && levels[l + 1] < level) l++;
  const share = Math.min(1, Math.max(0, (level - levels[l]) / (levels[l + 1] - levels[l])));
  return quantiles[l] + share * (quantiles[l + 1] - quantiles[l]);
}

// The probability of exceeding a threshold, from quantiles at given levels.
function exceedance(quantiles, levels, threshold) {
  const last = quantiles.length - 1;
  if (threshold <= quantiles[0]) return threshold === quantiles[0] ? 1 - levels[0] : 1;
  if (threshold >= quantiles[last]) return 0;
  let l = 0;
  while (quantiles[l + 1] < threshold) l++;
  const width = quantiles[l + 1] - quantiles[l];
  const share = width > 0 ? (threshold - quantiles[l]) / width : 1;
  return 1 - (levels[l] + share * (levels[l + 1] - levels[l]));
}

// A smooth density through quantiles: a kernel estimate from evenly spaced levels. Below the floor of
// a quantity that has one there is none: what the kernel puts there is mirrored.
function density(quantiles, levels, at, floor) {
  const count = 201;
  const values = [];
  let l = 0;
  for (let i = 0; i < count; i++) {
    const level = (i + 0.5) / count;
    while (l < levels.length - 2 && levels[l + 1] < level) l++;
    const share = (level - levels[l]) / (levels[l + 1] - levels[l]);
    values.push(quantiles[l] + Math.max(-1, Math.min(2, share)) * (quantiles[l + 1] - quantiles[l]));
  }
  const mean = values.reduce((a, b) => a + b) / count;
  const deviation = Math.sqrt(values.reduce((a, v) => a + (v - mean) ** 2, 0) / count);
  // Silverman's rule, and no narrower than can be drawn.
  const width = Math.max(1.06 * deviation * count ** -0.2, 0.5 * (at[1] - at[0]));
  const kernel = (distance) => Math.exp(-0.5 * (distance / width) ** 2);
  return at.map((x) => {
    if (floor != null && x < floor) return 0;
    let sum = 0;
    for (const value of values) sum += kernel(x - value) + (floor == null ? 0 : kernel(x + value - 2 * floor));
    return sum / (count * width * Math.sqrt(2 * Math.PI));
  });
}

function extent(...arrays) {
  let [low, high] = [Infinity, -Infinity];
  for (const array of arrays) {
    for (const value of array ?? []) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low <= high ? [low, high] : [0, 1];
}

// A range with a margin at both ends, which does not take it below a floor.
function widened([low, high], share, floor) {
  const margin = high > low ? share * (high - low) : 0.5 * Math.abs(low) || 0.5;
  return [floor != null && low >= floor ? Math.max(floor, low - margin) : low - margin, high + margin];
}
