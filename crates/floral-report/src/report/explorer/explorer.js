// The reader's choices, and the figures of them.

class Explorer {
  constructor({ facts, blob }) {
    this.blob = blob;
    // Fields on three axes have several planes, each with axes and inputs of its own.
    this.planes = (facts.planes ?? [{}]).map((plane) => ({ ...facts, ...plane }));
    this.tables = Object.fromEntries(Object.entries(facts.colours).map(([name, hex]) => [name, colourTable(hex)]));
    this.show(0);
    const spread = this.facts.inputs[0].runs.map((run) => run.deviation != null);
    this.choice = {
      plane: 0,
      input: 0,
      run: Math.max(0, spread.lastIndexOf(true)),
      channel: 0,
      view: "solution",
      as: "value",
      band: facts.band.level ? `level ${facts.band.level}` : `std ${facts.band.deviations}`,
      realization: 0,
      place: this.middle,
      threshold: 0.7,
    };
  }

  // Takes the axes and the fields of a plane.
  show(plane) {
    const { blob } = this;
    const facts = this.planes[plane];
    this.facts = facts;
    this.shape = facts.axes.map((axis) => axis.at.length);
    this.points = this.shape.reduce((a, b) => a * b, 1);
    this.keptShape = this.shape.map((n, i) => Math.ceil(n / facts.stride[i]));
    this.keptPoints = this.keptShape.reduce((a, b) => a * b, 1);
    this.isPlane = this.shape.length === 2;
    this.inputs = facts.inputs.map((input) => ({
      name: input.name,
      certainty: input.certainty,
      low: input.low && fields(blob, input.low),
      truth: input.truth && new Distribution(blob, input.truth),
      runs: input.runs.map((run) => new Distribution(blob, run)),
    }));
  }

  // The place that is marked at first.
  get middle() {
    return this.shape.map((n) => Math.floor(n * 0.6));
  }

  get input() {
    return this.inputs[this.choice.input];
  }

  // The chosen channel of a field.
  channel(field) {
    return field && field.subarray(this.choice.channel * this.points, (this.choice.channel + 1) * this.points);
  }

  // A field in the chosen view: itself, or minus the low-fidelity solution.
  viewed(field) {
    const values = this.channel(field);
    const low = this.channel(this.input.low);
    return this.choice.view === "residual" && low ? values.map((v, i) => v - low[i]) : values;
  }

  // The chosen channel: its name and units.
  get quantity() {
    return this.facts.channels[this.choice.channel];
  }

  // The label of the chosen view.
  get label() {
    const { name, units } = this.quantity;
    return { name: this.choice.view === "residual" ? `residual of ${name}` : name, units };
  }

  // A lower bound of a player's values; none if they can be negative, as residuals.
  floor({ isPositive }) {
    return this.choice.view === "solution" && isPositive?.[this.choice.channel] ? 0 : null;
  }

  // A realization of a player; rounding in storage does not take it below its floor.
  realization(player, index) {
    const values = this.viewed(player.distribution.realization(index));
    const floor = this.floor(player);
    return floor == null ? values : values.map((v) => Math.max(floor, v));
  }

  // The truth, the low-fidelity solution and every run, with their styles.
  get players() {
    const { truth, low, runs } = this.input;
    const isPositive = this.facts.channels.map((channel) => channel.isPositive);
    const all = truth ? [{ name: "truth", distribution: truth, colour: "ink", dash: "6 4", isPositive, isTrue: true }] : [];
    if (low) all.push({ name: "low fidelity", distribution: { mean: low, kept: 0, realization: () => low }, colour: "green", dash: "" });
    runs.forEach((distribution, i) => {
      const { label, colour, dash, isPositive } = this.facts.runs[i];
      all.push({ name: label, distribution, colour, dash, isPositive, chosen: i === this.choice.run });
    });
    return all;
  }

  // What sets the scales: the truth or, if it is unknown, the chosen run.
  get reference() {
    return this.players.find((p) => p.isTrue) ?? this.chosen;
  }

  get chosen() {
    return this.players.find((p) => p.chosen);
  }

  // The place of the chosen point among the points, and among those with quantiles.
  get point() {
    return this.choice.place.reduce((at, i, axis) => at * this.shape[axis] + i, 0);
  }

  get kept() {
    const near = this.choice.place.map((i, axis) => Math.min(this.keptShape[axis] - 1, Math.round(i / this.facts.stride[axis])));
    const kept = near.reduce((at, i, axis) => at * this.keptShape[axis] + i, 0);
    const point = near.reduce((at, i, axis) => at * this.shape[axis] + i * this.facts.stride[axis], 0);
    return { kept, point };
  }

  // The place in the field of each kept point.
  get keptPlaces() {
    const [n, m] = this.isPlane ? this.keptShape : [1, this.keptShape[0]];
    const [s, t] = this.isPlane ? this.facts.stride : [1, this.facts.stride[0]];
    const width = this.isPlane ? this.shape[1] : this.shape[0];
    return Array.from({ length: n * m }, (_, k) => Math.floor(k / m) * s * width + (k % m) * t);
  }

  lowAt(point) {
    return this.choice.view === "residual" && this.input.low ? this.channel(this.input.low)[point] : 0;
  }

  // Quantiles of a player at a kept point, in the chosen view; none without a spread.
  quantiles(player, kept, point) {
    const { distribution } = player;
    if (!distribution.quantiles) return null;
    const { channel } = this.choice;
    const count = this.facts.channels.length * this.keptPoints;
    const values = distribution.quantilesAt(channel * this.keptPoints + kept, count, channel * this.points + point);
    const low = this.lowAt(point);
    const floor = this.floor(player) ?? -Infinity;
    return values.map((v) => Math.max(floor, v - low));
  }

  // The axes that go to the right and upwards.
  get directions() {
    return [this.facts.right, 1 - this.facts.right];
  }

  get mark() {
    return this.isPlane ? this.directions.map((axis) => (this.choice.place[axis] + 0.5) / this.shape[axis]) : null;
  }

  // The place at these shares of the width and the height of a map.
  pickShare(...shares) {
    const place = [];
    this.directions.forEach((axis, i) => {
      const n = this.shape[axis];
      place[axis] = Math.min(n - 1, Math.max(0, Math.floor(shares[i] * n)));
    });
    this.choose({ place });
  }

  // A row of maps of this grid.
  strip(parts) {
    return mapStrip({ shape: this.shape, right: this.facts.right, aspect: this.facts.aspect, mark: this.mark, pick: (x, y) => this.pickShare(x, y), ...parts });
  }

  pickCoordinate(x) {
    const distances = this.facts.axes[0].at.map((at) => Math.abs(at - x));
    this.choose({ place: [distances.indexOf(Math.min(...distances))] });
  }

  choose(change) {
    Object.assign(this.choice, change);
    this.draw();
  }

  draw() {
    this.drawControls();
    if (this.isPlane) this.drawPlanes();
    else this.drawBands();
    this.drawMarginal();
    this.drawRealization();
    this.drawExceedance();
  }

  drawControls() {
    const { choice } = this;
    const set = (id, value) => (document.getElementById(id).value = value);
    for (const name of ["input", "plane", "run", "channel", "view", "as", "band", "realization"]) set(`x-${name}`, choice[name]);
    choice.place.forEach((i, axis) => set(`x-place-${axis}`, i));
    const kept = Math.max(1, this.input.truth?.kept ?? 0, this.input.runs[choice.run].kept);
    document.getElementById("x-realization").max = kept - 1;
    document.getElementById("x-realization-text").textContent = `${choice.realization + 1} of ${kept}`;
    const certainty = this.input.certainty?.[choice.run];
    const reliability = document.getElementById("x-certainty");
    reliability.hidden = !certainty;
    if (certainty) {
      const percent = (100 * certainty.epistemic[choice.channel]).toFixed(0);
      reliability.textContent = `${this.chosen.name}: novelty ${shown(certainty.novelty)} (1 = like the validation inputs); ${percent} % of the variance is epistemic (more training inputs would reduce it), the rest is aleatoric.`;
    }
  }

  // Rows of maps: mean and standard deviation.
  drawPlanes() {
    const { players, reference } = this;
    const middle = this.viewed(reference.distribution.mean);
    const isDifference = reference.isTrue && this.choice.as === "difference";
    const strip = (title, of, middleField, table, range, label) => {
      const shownPlayers = players.filter((p) => of(p) && !(isDifference && p.isTrue));
      const tiles = shownPlayers.map((p) => {
        const values = of(p);
        const difference = values.map((v, i) => v - middleField[i]);
        const rms = Math.sqrt(difference.reduce((sum, d) => sum + d * d, 0) / difference.length);
        const note = p.isTrue ? " " : `RMS error ${measured(rms, this.quantity)}`;
        return {
          title: p.name,
          chosen: p.chosen,
          values: isDifference ? difference : values,
          note: reference.isTrue ? note : null,
        };
      });
      const sizes = tiles.flatMap((tile) => (isDifference ? Array.from(tile.values, Math.abs) : [])).sort((a, b) => a - b);
      const reach = sizes[Math.floor(0.998 * (sizes.length - 1))] || 1;
      return this.strip({
        title: isDifference ? `${title}: difference from the truth` : title,
        tiles,
        range: isDifference ? [-reach, reach] : range,
        table: this.tables[isDifference ? "difference" : table],
        label,
      });
    };
    const low = this.input.low ? this.viewed(this.input.low) : null;
    const range = widened(extent(middle, this.choice.view === "solution" ? low : null), 0.05, this.floor(reference));
    const strips = [strip("Mean", (p) => this.viewed(p.distribution.mean), middle, "field", range, this.label)];
    const spread = this.channel(reference.distribution.deviation);
    if (spread) {
      const spreadRange = [0, 1.15 * extent(spread)[1] || 1];
      strips.push(strip("Standard deviation", (p) => this.channel(p.distribution.deviation), spread, "spread", spreadRange, { ...this.quantity, name: `standard deviation of ${this.quantity.name}` }));
    }
    const [x, y] = this.directions.map((axis) => this.facts.axes[axis]);
    const span = (axis) => {
      const { power, texts } = ends([axis.from, axis.to]);
      return `${labelled(axis, power)} from ${texts[0]} to ${texts[1]}`;
    };
    const note = element("p", { class: "axis-note" }, `To the right: ${span(x)}. Upwards: ${span(y)}.`);
    document.getElementById("x-fields").replaceChildren(...strips, note);
  }

  // The band of a player in the chosen view at every point: quantiles between those kept are interpolated
  // in units of the deviation.
  bandOf(player) {
    const { distribution } = player;
    const spread = this.channel(distribution.deviation);
    if (!spread) return null;
    const mean = this.viewed(distribution.mean);
    const floor = this.floor(player) ?? -Infinity;
    const [kind, amount] = this.choice.band.split(" ");
    if (kind === "std") {
      const half = spread.map((d) => Number(amount) * d);
      return { lower: mean.map((m, i) => Math.max(floor, m - half[i])), upper: mean.map((m, i) => m + half[i]) };
    }
    if (!distribution.quantiles) return null;
    const places = this.keptPlaces;
    const levels = [0.5 - 0.5 * Number(amount), 0.5 + 0.5 * Number(amount)];
    const ends = places.map((point, kept) => {
      const quantiles = this.quantiles(player, kept, point);
      return levels.map((level) => (spread[point] > 0 ? (quantileAt(quantiles, this.facts.levels, level) - mean[point]) / spread[point] : 0));
    });
    const stride = this.facts.stride[0];
    const anomaly = (i, end) => {
      const before = Math.min(Math.floor(i / stride), ends.length - 1);
      const after = Math.min(before + 1, ends.length - 1);
      const share = Math.min(1, i / stride - before);
      return ends[before][end] + share * (ends[after][end] - ends[before][end]);
    };
    return { lower: mean.map((m, i) => Math.max(floor, m + spread[i] * anomaly(i, 0))), upper: mean.map((m, i) => m + spread[i] * anomaly(i, 1)) };
  }

  // The chosen band in words.
  get bandWords() {
    const [kind, amount] = this.choice.band.split(" ");
    return kind === "std" ? ` ± ${amount} std` : ` and ${shown(100 * Number(amount)).replace(/\.0+$/, "")} % of realizations`;
  }

  // A chart per player: mean and band over those of the truth, or over low fidelity if it is unknown.
  drawBands() {
    const x = this.facts.axes[0].at;
    const { players, reference } = this;
    const isDifference = reference.isTrue && this.choice.as === "difference";
    const middle = this.viewed(reference.distribution.mean);
    const shifted = (values) => (isDifference ? values.map((v, i) => v - middle[i]) : values);
    const series = (p, style) => {
      const band = this.bandOf(p);
      return { x, y: shifted(this.viewed(p.distribution.mean)), band: band && { lower: shifted(band.lower), upper: shifted(band.upper) }, colour: p.colour, ...style };
    };
    const low = players.find((p) => p.name === "low fidelity");
    const beside = reference.isTrue ? series(reference, { dash: "6 4", width: 1.5, opacity: 0.14 }) : low && series(low, { width: 1.8 });
    const others = players.filter((p) => !p.isTrue && (reference.isTrue || p !== low)).map((p) => ({ ...p, series: series(p, { width: 2.4 }) }));
    const known = reference.isTrue ? [beside] : others.map((o) => o.series);
    const ends = known.flatMap((s) => (s.band ? [s.band.lower, s.band.upper] : []));
    const y = widened(extent(...ends, ...others.map((o) => o.series.y), beside?.y), 0.04);
    const charts = others.map((o) => {
      const over = reference.isTrue ? ", over the truth (dashed)" : low ? ", over low fidelity" : "";
      const title = `${o.name}: mean${o.series.band ? this.bandWords : ""}${over}`;
      const drawn = chart({
        title,
        xLabel: this.facts.axes[0],
        yLabel: isDifference ? { ...this.quantity, name: `difference of ${this.quantity.name}` } : this.label,
        x: extent(x),
        y,
        series: beside ? [beside, o.series] : [o.series],
        lines: [{ x: x[this.choice.place[0]], colour: "grey", width: 1, dash: "2 3" }],
        pick: (at) => this.pickCoordinate(at),
      });
      return element("figure", { class: o.chosen ? "tile chosen" : "tile" }, element("figcaption", {}, title), drawn);
    });
    document.getElementById("x-fields").replaceChildren(element("div", { class: "strip" }, element("div", { class: "plots" }, ...charts)));
  }

  drawMarginal() {
    const { kept, point } = this.kept;
    const at = this.point;
    const players = this.players.map((p) => ({
      ...p,
      mean: this.viewed(p.distribution.mean)[at],
      spread: this.channel(p.distribution.deviation)?.[at],
      quantiles: this.quantiles(p, kept, point),
    }));
    const truth = players.find((p) => p.isTrue);
    const chosen = players.find((p) => p.chosen);
    const middle = truth ?? chosen;
    const width = middle.spread || Math.abs(middle.mean) * 0.1 || 1;
    const means = players.map((p) => p.mean);
    const range = widened(extent([middle.mean - 4 * width, middle.mean + 4 * width], means.filter((m) => Math.abs(m - middle.mean) < 12 * width)), 0.05);
    const hasFloor = players.every((p) => !p.quantiles || this.floor(p) != null);
    if (hasFloor && this.floor(middle) != null) range[0] = Math.max(this.floor(middle), range[0]);
    const x = Array.from({ length: 161 }, (_, i) => range[0] + ((range[1] - range[0]) * i) / 160);
    const series = [];
    const lines = [];
    for (const p of players) {
      const bold = p.chosen || p === truth;
      const style = { colour: p.colour, dash: p.dash, width: bold ? 3 : 1.3 };
      if (p.quantiles) series.push({ x, y: density(p.quantiles, this.facts.levels, x, this.floor(p)), ...style });
      else lines.push({ x: p.mean, ...style });
    }
    const top = extent(...series.map((s) => s.y))[1];
    const coordinates = this.choice.place.map((i, axis) => `${this.facts.axes[axis].name} = ${measured(this.facts.axes[axis].at[i], this.facts.axes[axis])}`);
    const drawn = chart({
      title: `Distribution at ${coordinates.join(", ")}`,
      xLabel: this.label,
      yLabel: { name: "density", units: this.quantity.inverse },
      x: range,
      y: [0, 1.08 * top || 1],
      series,
      lines,
    });
    const key = legend(players.map((p) => ({ name: p.name, colour: p.colour, dash: p.dash, width: p.chosen ? 4 : 2.5 })));
    document.getElementById("x-marginal").replaceChildren(drawn, key);
    const readout = (p) => `${p.name} ${p.spread == null ? "" : `${shown(p.mean)} ± `}${measured(p.spread ?? p.mean, this.quantity)}`;
    const low = players.find((p) => p.name === "low fidelity");
    document.getElementById("x-point").textContent = `${coordinates.join(", ")}: ${[truth, low, chosen].filter(Boolean).map(readout).join("; ")} (mean ± standard deviation).`;
  }

  drawRealization() {
    const { realization } = this.choice;
    const { reference, chosen } = this;
    const drawn = reference.isTrue ? [reference, chosen] : [chosen];
    const fields = drawn.map((p) => ({
      name: p.distribution.kept ? `${p.name}, realization ${(realization % p.distribution.kept) + 1}` : `${p.name}, its only field`,
      colour: p.colour,
      values: this.realization(p, realization),
      dash: p.isTrue ? "6 4" : "",
    }));
    const host = document.getElementById("x-realizations");
    const spread = this.channel(reference.distribution.deviation);
    const mean = this.viewed(reference.distribution.mean);
    const around = spread ? [mean.map((m, i) => m - 3 * spread[i]), mean.map((m, i) => m + 3 * spread[i])] : [mean];
    const range = widened(extent(...around), 0.02);
    const floor = this.floor(reference);
    if (floor != null) range[0] = Math.max(floor, range[0]);
    if (this.isPlane) {
      const tiles = fields.map((field) => ({ title: field.name, values: field.values }));
      host.replaceChildren(this.strip({ tiles, range, table: this.tables.field, label: this.label }));
      return;
    }
    const x = this.facts.axes[0].at;
    const all = drawn.flatMap((p) =>
      Array.from({ length: p.distribution.kept }, (_, i) => ({ x, y: this.realization(p, i), colour: p.colour, width: 0.6 })),
    );
    const bold = fields.map((field) => ({ x, y: field.values, colour: field.colour, width: 2.6, dash: field.dash }));
    const plot = chart({ title: "Realizations", xLabel: this.facts.axes[0], yLabel: this.label, x: extent(x), y: range, series: [...all, ...bold], pick: (at) => this.pickCoordinate(at) });
    host.replaceChildren(plot, legend(fields));
  }

  drawExceedance() {
    const { reference } = this;
    const mean = this.viewed(reference.distribution.mean);
    const spread = this.channel(reference.distribution.deviation);
    const range = extent(mean, spread && mean.map((m, i) => m + 3 * spread[i]), spread && mean.map((m, i) => m - 3 * spread[i]));
    const floor = this.floor(reference);
    if (floor != null) range[0] = Math.max(floor, range[0]);
    const threshold = range[0] + this.choice.threshold * (range[1] - range[0]);
    document.getElementById("x-threshold").value = Math.round(200 * this.choice.threshold);
    document.getElementById("x-threshold-text").textContent = `${this.label.name} > ${measured(threshold, this.quantity)}`;
    const places = this.keptPlaces;
    const probability = (p) => {
      const mean = this.viewed(p.distribution.mean);
      if (!p.distribution.quantiles) return Float32Array.from(places, (point) => (mean[point] > threshold ? 1 : 0));
      return Float32Array.from(places, (point, kept) => exceedance(this.quantiles(p, kept, point), this.facts.levels, threshold));
    };
    const players = this.players.map((p) => ({ ...p, values: probability(p) }));
    const truth = players.find((p) => p.isTrue);
    const error = (p) => p.values.reduce((sum, v, i) => sum + Math.abs(v - truth.values[i]), 0) / p.values.length;
    const note = (p) => (p === truth ? " " : `mean error ${shown(error(p))}`);
    const host = document.getElementById("x-exceedance");
    if (this.isPlane) {
      const tiles = players.map((p) => ({ title: p.name, chosen: p.chosen, values: p.values, note: truth ? note(p) : null }));
      host.replaceChildren(this.strip({ tiles, shape: this.keptShape, range: [0, 1], table: this.tables.spread, label: { name: "probability" } }));
    } else {
      const x = places.map((point) => this.facts.axes[0].at[point]);
      const series = players.map((p) => ({ x, y: p.values, colour: p.colour, dash: p.dash, width: p.chosen ? 3 : 1.6 }));
      const drawn = chart({ title: "Probability of exceedance", xLabel: this.facts.axes[0], yLabel: { name: "probability" }, x: extent(x), y: [0, 1.02], series, pick: (at) => this.pickCoordinate(at) });
      host.replaceChildren(drawn, legend(players));
    }
    const chosen = players.find((p) => p.chosen);
    const { kept } = this.kept;
    const there = [truth, chosen].filter(Boolean).map((p) => `${p.name} ${shown(p.values[kept])}`);
    const over = truth ? ` Mean absolute error of ${chosen.name} over all points: ${shown(error(chosen))}.` : "";
    document.getElementById("x-exceedance-text").textContent = `At the point: ${there.join(", ")}.${over}`;
  }

  fill(id, names) {
    document.getElementById(id).replaceChildren(...names.map((name, i) => element("option", { value: i }, name)));
  }

  // Fills the controls that depend on the plane.
  connectPlane() {
    this.fill("x-input", this.inputs.map((input) => input.name));
    const sliders = this.facts.axes.map((axis, i) => {
      const slider = element("input", { type: "range", id: `x-place-${i}`, min: 0, max: this.shape[i] - 1, step: 1 });
      slider.addEventListener("input", () => {
        const place = [...this.choice.place];
        place[i] = Number(slider.value);
        this.choose({ place });
      });
      return element("label", {}, axis.name, slider);
    });
    document.getElementById("x-sliders").replaceChildren(...sliders);
  }

  // Fills the controls and listens to them.
  connect() {
    const { facts } = this;
    const get = (id) => document.getElementById(id);
    const fill = (id, names) => this.fill(id, names);
    this.connectPlane();
    fill("x-plane", this.planes.map((plane) => plane.name ?? ""));
    get("x-plane-box").hidden = this.planes.length < 2;
    get("x-plane").addEventListener("input", (event) => {
      const plane = Number(event.target.value);
      this.show(plane);
      this.connectPlane();
      this.choose({ plane, place: this.middle });
    });
    fill("x-run", facts.runs.map((run) => run.label));
    fill("x-channel", facts.channels.map((channel) => labelled(channel)));
    get("x-channel-box").hidden = facts.channels.length < 2;
    get("x-view-box").hidden = !this.inputs[0].low;
    get("x-band-box").hidden = this.isPlane;
    get("x-as-box").hidden = !this.inputs[0].truth;
    const bands = get("x-band");
    // The band of the page, if the list does not have it.
    if (![...bands.options].some((option) => option.value === this.choice.band)) {
      bands.append(element("option", { value: this.choice.band }, this.bandWords.replace(/^ (and )?/, "")));
    }
    for (const name of ["input", "run", "channel", "realization"]) {
      get(`x-${name}`).addEventListener("input", (event) => this.choose({ [name]: Number(event.target.value) }));
    }
    for (const name of ["view", "as", "band"]) {
      get(`x-${name}`).addEventListener("input", (event) => this.choose({ [name]: event.target.value }));
    }
    get("x-threshold").addEventListener("input", (event) => this.choose({ threshold: Number(event.target.value) / 200 }));
    const step = (by) => {
      const kept = Number(get("x-realization").max) + 1;
      this.choose({ realization: (this.choice.realization + by + kept) % kept });
    };
    get("x-previous").addEventListener("click", () => step(-1));
    get("x-next").addEventListener("click", () => step(1));
  }
}

async function main() {
  try {
    const explorer = new Explorer(await unpack(document.getElementById("data").textContent));
    explorer.connect();
    explorer.draw();
    document.documentElement.dataset.ready = "true";
  } catch (error) {
    const trouble = document.getElementById("x-trouble");
    trouble.hidden = false;
    trouble.textContent = `The interactive part cannot be shown: ${error.message}.`;
    console.error(error);
  }
}

main();
