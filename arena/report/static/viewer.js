// The replay page: reads its data and shows one scene at a time. drawing.js draws it; knowledge.js computes what each
// seat knows.

/**
 * @typedef {{match: string, game: string, seat: number | null, deals: number, names: string[],
 *   captions: Record<string, string>[], suits: Record<string, string>, counts: string, points: number[],
 *   placings: number[], changes: Change[], stderr: string[], marks: Mark[], moments: Moment[],
 *   near: number | null}} Replay
 * @typedef {{scene: number, seat: number, played: string, better: string, cost: number, error: number}} Mark  A
 *   decision that a review calls an error, and the scene in which it was made.
 * @typedef {{scene: number, kind: "fault" | "end" | "decisive" | "swing", text: string, seat?: number, size?: number}} Moment
 *   `seat` is the only one that knows of it; see moments.py.
 */

/** @param {number} us */
function milliseconds(us) {
  const ms = us / 1000;
  return ms < 10 ? `${ms.toFixed(2)} ms` : ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/** What the signs above the slider mean. */
const SIGNS = {
  decisive: "decided the match",
  end: "end of a deal",
  swing: "changed the points most in its deal; the higher, the more",
  fault: "fault",
  error: "error found by the review; the higher, the more costly",
};

class Viewer {
  /** @param {Replay} replay */
  constructor(replay) {
    this.replay = replay;
    this.scenes = unfolded(replay.changes, replay.names.length);
    this.tricks = this.scenes.some((scene) => scene.trick);
    /** @type {number | null} */
    this.seat = replay.near;
    this.at = sceneAt(this.scenes, location.hash);
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.playing = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.naming = undefined;
    /** @type {{moment: Moment, item: HTMLElement, mark: HTMLElement}[]} */
    this.moments = [];
    this.scrubber = /** @type {HTMLInputElement} */ (byId("scrubber"));
    this.chooser = /** @type {HTMLSelectElement} */ (byId("seat"));
    this.speed = /** @type {HTMLSelectElement} */ (byId("speed"));
    this.rules = /** @type {HTMLDialogElement} */ (byId("rules"));
    this.prepare();
    this.prepareMarks();
    this.show();
  }

  /** The moments of the match and the errors that a review has found lie above the slider; the moments are a list
   * too. */
  prepareMarks() {
    const { marks, moments, names } = this.replay;
    const dearest = Math.max(...marks.map((mark) => mark.cost));
    // The deciding deal comes first, wherever in the match it was.
    for (const moment of [...moments].sort((one, other) => Number(other.kind === "decisive") - Number(one.kind === "decisive"))) {
      const sign = element("span", { class: `sign ${moment.kind}`, "aria-hidden": "true" });
      const button = element("button", { type: "button" }, [sign, moment.text]);
      button.addEventListener("click", () => {
        this.pause();
        // On a phone the table is above the list, out of sight.
        byId("table").scrollIntoView({ block: "nearest", behavior: "instant" });
        this.go(moment.scene);
      });
      const item = element("li", moment.kind === "decisive" ? { class: "decisive" } : {}, [button]);
      byId("moments").append(item);
      this.moments.push({ moment, item, mark: this.addMark(moment.kind, moment.scene, moment.text, moment.size) });
    }
    for (const mark of marks) {
      const title = `${names[mark.seat]} played ${mark.played}: ${mark.cost.toFixed(1)} points`;
      this.addMark("mark", mark.scene, title, mark.cost / dearest);
    }
    const kinds = new Set([...moments.map((moment) => moment.kind), ...(marks.length ? ["error"] : [])]);
    const known = Object.entries(SIGNS).filter(([kind]) => kinds.has(kind));
    byId("signs").append(...known.map(([kind, words]) => element("span", {}, [element("span", { class: `sign ${kind}`, "aria-hidden": "true" }), words])));
    byId("about-moments").hidden = !known.length;
    byId("mark-buttons").hidden = !this.stops().length;
  }

  /**
   * @param {string} kind
   * @param {number} scene
   * @param {string} title
   * @param {number} [size] of the largest mark
   */
  addMark(kind, scene, title, size = 1) {
    const made = element("button", { type: "button", class: kind, tabindex: "-1", title, "aria-label": title });
    made.style.left = `${(100 * scene) / Math.max(1, this.scenes.length - 1)}%`;
    made.style.height = `${0.35 + 0.65 * size}rem`;
    made.addEventListener("click", () => (this.pause(), this.go(scene)));
    byId("marks").append(made);
    return made;
  }

  /** The scenes to which the buttons lead: the errors of a review or else what is known of the moments, without the
   * ends of deals, which have buttons of their own. */
  stops() {
    const { marks, moments } = this.replay;
    return marks.length ? marks : moments.filter((moment) => moment.kind !== "end" && this.knows(moment));
  }

  /** @param {Moment} moment */
  knows(moment) {
    return this.seat === null || moment.seat === undefined || moment.seat === this.seat;
  }

  prepare() {
    const { names, seat } = this.replay;
    this.scrubber.max = String(this.scenes.length - 1);
    this.scrubber.addEventListener("input", () => this.go(Number(this.scrubber.value)));
    if (seat === null) this.chooser.append(element("option", { value: "" }, ["everything"]));
    names.forEach((name, at) => {
      if (seat === null || seat === at) this.chooser.append(element("option", { value: String(at) }, [`${name}, seat ${at}`]));
    });
    this.chooser.addEventListener("change", () => this.look(this.chooser.value === "" ? null : Number(this.chooser.value)));
    document.querySelectorAll(".by-trick").forEach((one) => one.toggleAttribute("hidden", !this.tricks));
    document.querySelectorAll("[data-go]").forEach((button) => {
      button.addEventListener("click", () => this.act(button.getAttribute("data-go") ?? ""));
    });
    this.speed.addEventListener("change", () => this.playing && (this.pause(), this.play()));
    document.addEventListener("keydown", (event) => this.key(event));
    // A page inside a notebook's frame has no address of its own.
    byId("address").hidden = location.protocol === "about:";
    window.addEventListener("resize", () => this.settle());
    window.addEventListener("hashchange", () => this.go(sceneAt(this.scenes, location.hash)));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest?.("select, summary, dialog, #link")) return;
    if (event.key === " " && target.tagName === "BUTTON") return;
    const shift = event.shiftKey;
    /** @type {Record<string, string>} */
    const keys = {
      ArrowRight: shift && this.tricks ? "trick-on" : "on",
      ArrowLeft: shift && this.tricks ? "trick-back" : "back",
      PageDown: "deal-on",
      PageUp: "deal-back",
      Home: "first",
      End: "last",
      " ": "play",
      m: "mark-on",
      M: "mark-back",
      c: "copy",
      Escape: "uncover",
    };
    if (keys[event.key]) this.act(keys[event.key]);
    else if (/^[0-7]$/.test(event.key) && Number(event.key) < this.replay.names.length) this.look(Number(event.key));
    else if (event.key.toLowerCase() === "a") this.look(null);
    else return;
    event.preventDefault();
  }

  /** @param {string} way */
  act(way) {
    if (way === "play") return this.playing ? this.pause() : this.play();
    if (way === "copy") return this.copyLink();
    if (way === "uncover") return this.uncover();
    if (way === "rules") return this.rules.showModal();
    if (way === "unrules") return this.rules.close();
    this.pause();
    const { scenes, at } = this;
    /** @type {Record<string, () => number>} */
    const ways = {
      on: () => at + 1,
      back: () => at - 1,
      "trick-on": () => jumped(scenes, at, "trick", 1),
      "trick-back": () => jumped(scenes, at, "trick", -1),
      "deal-on": () => jumped(scenes, at, "deal", 1),
      "deal-back": () => jumped(scenes, at, "deal", -1),
      "mark-on": () => this.stops().find((stop) => stop.scene > at)?.scene ?? at,
      "mark-back": () => this.stops().findLast((stop) => stop.scene < at)?.scene ?? at,
      first: () => 0,
      last: () => scenes.length - 1,
    };
    this.go(ways[way]());
  }

  play() {
    if (this.at === this.scenes.length - 1) this.go(0);
    this.playing = setInterval(() => {
      if (this.at < this.scenes.length - 1) this.go(this.at + 1);
      else this.pause();
    }, Number(this.speed.value));
    this.mark();
  }

  pause() {
    clearInterval(this.playing);
    this.playing = undefined;
    this.mark();
  }

  /** @param {number} at */
  go(at) {
    const to = Math.max(0, Math.min(at, this.scenes.length - 1));
    if (to === this.at) return;
    this.at = to;
    this.show();
  }

  /** Show the match as this seat saw it; null shows all seats. A page of one seat has only that seat.
   * @param {number | null} seat */
  look(seat) {
    if (this.replay.seat !== null) return;
    this.seat = seat;
    this.show();
  }

  show() {
    const { names, suits, counts, deals } = this.replay;
    const whole = this.scenes[this.at];
    const scene = seenBy(whole, this.seat);
    drawPosition(byId("table"), {
      names,
      suits,
      counts,
      near: this.seat ?? 0,
      table: scene.table,
      hands: handsIn(scene),
      due: scene.due,
      forfeited: scene.forfeited,
      better: this.marksHere(),
    });
    byId("where").textContent = [`Deal ${scene.deal} of ${deals}`, ...(scene.trick ? [`trick ${scene.trick}`] : [])].join(", ");
    this.chooser.value = this.seat === null ? "" : String(this.seat);
    this.scrubber.value = String(this.at);
    this.scrubber.setAttribute("aria-valuetext", `step ${this.at + 1} of ${this.scenes.length}, deal ${scene.deal}`);
    this.name(scene);
    this.tell(scene);
    this.result(scene);
    this.chart(scene);
    this.story();
    for (const { moment, item, mark } of this.moments) {
      item.hidden = mark.hidden = !this.knows(moment);
      if (moment.scene === this.at) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    }
    this.stderr();
    this.mark();
    this.settle();
    this.fit();
    this.reveal();
  }

  /** Passes the height that is left for the table to the style sheet. */
  settle() {
    const table = byId("table");
    const above = table.getBoundingClientRect().top + scrollY;
    table.style.setProperty("--room", `${innerHeight - above - byId("controls").offsetHeight}px`);
  }

  /** On the stage nobody scrolls: content higher than the frame is made smaller, and stays so. */
  fit() {
    if (!document.body.classList.contains("staged")) return;
    const { body, documentElement } = document;
    // Wider lines may become fewer.
    for (let left = 3; left && documentElement.scrollHeight > innerHeight; left -= 1) {
      body.style.zoom = String((Number(body.style.zoom || 1) * innerHeight) / documentElement.scrollHeight);
    }
  }

  /** Where the controls lie over the table, as on a phone, scroll to the seat that is to decide, and else to the top
   * of the table. */
  reveal() {
    const due = document.querySelectorAll("#table .place.due");
    const [table, controls] = ["table", "controls"].map((id) => byId(id).getBoundingClientRect());
    if (due.length !== 1 || controls.bottom < innerHeight - 1) return;
    const hidden = due[0].getBoundingClientRect().bottom + 4 - controls.top;
    scrollBy({ top: Math.max(hidden, Math.min(0, table.top)) });
  }

  /** Name the step in the address.
   * @param {Scene} scene */
  name(scene) {
    byId("copied").textContent = "";
    byId("link").hidden = true;
    if (location.protocol === "about:") return;
    // Browsers refuse to change the address many times a second, as a held key would.
    clearTimeout(this.naming);
    this.naming = setTimeout(() => history.replaceState(null, "", addressOf(scene)), 150);
  }

  mark() {
    const button = /** @type {HTMLElement} */ (document.querySelector(".play"));
    button.setAttribute("aria-pressed", String(Boolean(this.playing)));
    button.setAttribute("aria-label", this.playing ? "Pause" : "Play");
    const stops = this.stops();
    const ends = { "mark-back": stops[0]?.scene ?? 0, "mark-on": stops.at(-1)?.scene ?? 0, back: 0, "trick-back": 0, "deal-back": 0, on: this.scenes.length - 1, "trick-on": this.scenes.length - 1, "deal-on": this.scenes.length - 1 };
    for (const [way, end] of Object.entries(ends)) {
      /** @type {HTMLButtonElement} */ (document.querySelector(`[data-go="${way}"]`)).disabled = /back$/.test(way) ? this.at <= end : this.at >= end;
    }
  }

  /** @param {Scene} scene */
  tell(scene) {
    const { names, suits } = this.replay;
    const parts = [];
    const sentences = this.at || scene.sentences.length ? [...scene.sentences] : ["The cards are dealt."];
    const told = sentences.map(minus);
    if (this.at === this.scenes.length - 1) told.push(`${this.winner()}.`);
    parts.push(element("div", { class: "sentences" }, told.map((text) => element("p", {}, [text]))));
    for (const mark of this.marksHere()) parts.push(this.judgement(mark));
    for (const fault of scene.faults) parts.push(this.fault(fault));
    /** @type {[string, (Node | string)[]][]} */
    const facts = [];
    for (const one of scene.decided) {
      const chose = one.by_substitute ? "the substitute chose" : "chose";
      if (!scene.sentences.length) facts.push([names[one.seat], [`${chose} `, cardElement(one.action, suits, "small"), " in secret"]]);
      else if (one.by_substitute) facts.push([names[one.seat], [chose]]);
      // A public log does not say how long bots took.
      if (one.us && !one.by_substitute) facts.push([`${names[one.seat]} took`, [milliseconds(one.us)]]);
      if (one.note) parts.push(element("blockquote", {}, [one.note]));
    }
    for (const decision of new Set(scene.due.map((due) => due.decision))) {
      const seats = scene.due.filter((due) => due.decision === decision).map((due) => names[due.seat]);
      facts.push(["next", [`${seats.join(", ")}: ${decision}`]]);
    }
    const known = scene.due.filter((due) => due.legal);
    if (known.length === 1) {
      const actions = (known[0].legal ?? []).map((action) => cardElement(action, suits, "small"));
      facts.push(["legal", [element("span", { class: "actions" }, actions)]]);
    }
    parts.push(element("dl", {}, facts.flatMap(([term, what]) => [element("dt", {}, [term]), element("dd", {}, what)])));
    byId("now").replaceChildren(...parts);
  }

  /** The marks of this scene that reveal nothing about a hidden hand. */
  marksHere() {
    return this.replay.marks.filter((mark) => mark.scene === this.at && (this.seat ?? mark.seat) === mark.seat);
  }

  /** @param {Mark} mark */
  judgement(mark) {
    const { names, suits } = this.replay;
    const gain = `${mark.cost.toFixed(1)} ± ${(2 * mark.error).toFixed(1)} points`;
    return element("div", { class: "judgement", role: "note" }, [
      element("p", {}, ["better ", cardElement(mark.better, suits), " than ", cardElement(mark.played, suits)]),
      element("p", {}, [`it cost ${gain} in this deal, on average over everything that ${names[mark.seat]} could not see`]),
    ]);
  }

  /** @param {Fault} fault */
  fault(fault) {
    const consequence = fault.forfeits ? "forfeits the match; a substitute plays on." : "is forgiven; a substitute chose this once.";
    const parts = [
      element("p", {}, [element("strong", {}, [`${this.replay.names[fault.seat]}: ${fault.kind}`]), " – ", ...codes(fault.meaning), `; ${consequence}`]),
      element("p", {}, [fault.detail]),
    ];
    if (fault.reply) parts.push(element("p", { class: "soft" }, ["it wrote"]), element("pre", {}, [fault.reply]));
    if (fault.stderr) parts.push(element("p", { class: "soft" }, ["and to standard error"]), element("pre", {}, [fault.stderr]));
    return element("div", { class: "fault", role: "note" }, parts);
  }

  /** Show the result over the table at the end of the match, and hide it at any other step.
   * @param {Scene} scene */
  result(scene) {
    const { names, placings, points, counts } = this.replay;
    const over = this.at === this.scenes.length - 1;
    const order = names.map((_, seat) => seat).sort((one, other) => placings[one] - placings[other]);
    const rows = order.map((seat) => element("li", { value: String(placings[seat]) }, [`${names[seat]}, ${scene.forfeited[seat] ? "forfeited with " : ""}${numberOf(points[seat], counts)}`]));
    byId("result").hidden = !over;
    byId("winner").textContent = over ? this.winner() : "";
    byId("placings").replaceChildren(...(over ? rows : []));
  }

  winner() {
    const { names, placings } = this.replay;
    const first = names.filter((_, seat) => placings[seat] === Math.min(...placings));
    return first.length === 1 ? `${first[0]} wins` : `${first.slice(0, -1).join(", ")} and ${first.at(-1)} share first place`;
  }

  uncover() {
    if (byId("result").contains(document.activeElement)) this.scrubber.focus();
    byId("result").hidden = true;
  }

  /** Copy the address of this step, or show it for copying if the browser does not allow a page to copy. */
  async copyLink() {
    const link = location.href.replace(/#.*/, "") + addressOf(this.scenes[this.at]);
    const field = /** @type {HTMLInputElement} */ (byId("link"));
    try {
      await navigator.clipboard.writeText(link);
      byId("copied").textContent = "copied";
    } catch {
      field.hidden = false;
      field.value = link;
      field.select();
      byId("copied").textContent = "Copy this:";
    }
  }

  /** @param {Scene} scene */
  chart(scene) {
    const { names, counts, deals } = this.replay;
    const rows = growth(this.scenes, this.at);
    const all = growth(this.scenes, this.scenes.length - 1).flat();
    const low = Math.min(0, ...all);
    const high = Math.max(0, ...all);
    const span = high - low || 1;
    const width = 300;
    const height = 120;
    /** @param {number} deal */
    const x = (deal) => 34 + (deal * (width - 44)) / Math.max(1, deals);
    /** @param {number} value */
    const y = (value) => 8 + ((high - value) * (height - 26)) / span;
    const drawn = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `The ${counts} after each deal; the table below has the numbers` });
    for (const value of new Set([low, 0, high])) {
      drawn.append(svg("line", { class: "grid", x1: "34", x2: String(width - 10), y1: String(y(value)), y2: String(y(value)) }));
      drawn.append(svg("text", { x: "28", y: String(y(value) + 4), "text-anchor": "end" }, minus(value)));
    }
    for (let deal = 0; deal <= deals; deal += Math.ceil(deals / 10)) {
      drawn.append(svg("text", { x: String(x(deal)), y: String(height - 3), "text-anchor": deal ? "middle" : "start" }, deal ? String(deal) : "start"));
    }
    names.forEach((_, seat) => {
      const path = rows.map((row, deal) => `${deal ? "L" : "M"}${x(deal).toFixed(1)} ${y(row[seat] ?? 0).toFixed(1)}`).join("");
      drawn.append(svg("path", { class: `line series-${seat}`, d: path }));
      const last = rows.length - 1;
      drawn.append(svg("circle", { class: `series-${seat}`, cx: String(x(last)), cy: String(y(rows[last][seat] ?? 0)), r: "2.5", fill: "var(--series)" }));
    });
    const now = rows[rows.length - 1] ?? [];
    const before = rows[rows.length - 2];
    // A public log does not say how long bots took.
    const timed = this.scenes.at(-1)?.spent.some(Boolean);
    const body = names.map((name, seat) => {
      const key = svg("svg", { class: "key", viewBox: "0 0 22 10", "aria-hidden": "true" });
      key.append(svg("path", { class: `line series-${seat}`, d: "M0 5H22", "stroke-width": "2.5" }));
      const head = element("th", { scope: "row" }, [key, ...parted(name).map((part) => element("span", {}, [part]))]);
      const gained = before ? now[seat] - before[seat] : 0;
      const cells = [minus(now[seat] ?? 0), before ? signed(gained) : "–"];
      if (timed) cells.push(scene.spent[seat] ? milliseconds(scene.spent[seat]) : "–");
      return element("tr", {}, [head, ...cells.map((cell) => element("td", {}, [cell]))]);
    });
    const heads = ["seat", counts, "last deal", ...(timed ? ["time"] : [])].map((head) => element("th", { scope: "col" }, [head]));
    const table = element("table", { class: "scores" }, [element("thead", {}, [element("tr", {}, heads)]), element("tbody", {}, body)]);
    byId("chart").replaceChildren(drawn, table);
  }

  story() {
    const list = byId("story");
    const held = list.contains(document.activeElement);
    const lines = story(this.scenes, this.at).map((line) => {
      const button = element("button", { type: "button" }, [minus(line.text)]);
      button.addEventListener("click", () => (this.pause(), this.go(line.at)));
      const item = element("li", {}, [button]);
      if (line.at === this.at) item.setAttribute("aria-current", "step");
      return item;
    });
    list.replaceChildren(...lines);
    byId("about-story").hidden = !lines.length;
    list.scrollTop = list.scrollHeight;
    if (held) lines.at(-1)?.querySelector("button")?.focus();
  }

  stderr() {
    const known = this.replay.stderr.map((text, at) => ({ text, at })).filter(({ text, at }) => text && (this.seat === null || this.seat === at));
    const box = byId("written");
    box.hidden = !known.length;
    box.lastElementChild?.replaceChildren(
      ...known.map(({ text, at }) => element("details", {}, [element("summary", {}, [this.replay.names[at]]), element("pre", {}, [text])])),
    );
  }
}

const viewer = new Viewer(JSON.parse(byId("data").textContent ?? "{}"));
// On the stage (stage.js) the match plays by itself, and only the cards are shown.
if (window.name === "stage") {
  document.body.classList.add("staged");
  parent.postMessage("here", "*");
  viewer.fit();
  viewer.play();
}
