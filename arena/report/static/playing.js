// The page of a person at a seat: asks its own server what to show, draws it (drawing.js), and sends the person's
// choices. It keeps no state that a reload would lose.

/**
 * @typedef {{names: string[], you: number, counts: string, suits: Record<string, string>, deals: number[][],
 *   totals: number[], left: string[][] | null, chips: number[] | null}} Sheet  Points by seat, of each finished deal.
 * @typedef {{since: number, drawn: Position, says: string}} Taken  A trick that is complete.
 * @typedef {{version: number, phase: string, deal_over: boolean, title: string, drawn: Position | null,
 *   says: string[], played: string[], request: number | null, prompt: string, legal: Record<string, string>,
 *   sent: string | null, seconds_left: number | null, hint: string, hinted: string | null, story: string[], taken: Taken | null,
 *   sheet: Sheet | null, result: string, placings: {placing: number, name: string, points: string}[]}} Shown
 */

const AGAIN_MS = 1000;
const TAKEN_MS = 2500;
const SWEEP_MS = 400;
const GO_ON = ["Enter", " ", "Escape", "ArrowRight", "ArrowLeft"];
const CARDS = ".near .hand [role=button]";
const WORDS = "#words button";

class Seat {
  constructor() {
    /** @type {Shown | undefined} */
    this.shown = undefined;
    /** The id of the request whose choices are shown.
     * @type {number | null} */
    this.offered = null;
    /** The complete trick that is shown, and the timer until it disappears.
     * @type {Taken | null} */
    this.held = null;
    this.holding = 0;
    /** Whether another match was requested, so that it is no error if this one stops answering. */
    this.goesOn = false;
    /** Whether the person uses the keyboard. Otherwise the focus would look like advice. */
    this.keyed = false;
    this.finished = false;
    this.asking = new AbortController();
    /** The last intent, on its way.
     * @type {Promise<unknown>} */
    this.sending = Promise.resolve();
    this.clock = 0;
    byId("table").addEventListener("click", (event) => (this.held ? this.release() : this.chooseAt(event)));
    byId("ask").addEventListener("click", () => this.send({ type: "hint" }));
    byId("open-rules")?.addEventListener("click", () => this.openRules());
    byId("close-rules")?.addEventListener("click", () => drawer()?.close());
    drawer()?.addEventListener("click", (event) => event.target === drawer() && drawer()?.close());
    document.addEventListener("pointerdown", () => (this.keyed = false));
    document.addEventListener("keydown", (event) => this.key(event));
    addEventListener("resize", () => this.measure());
    setInterval(() => this.tick(), 1000);
    this.follow();
  }

  async follow() {
    do {
      try {
        const answer = await fetch(`news/${this.shown?.version ?? 0}`, { signal: this.asking.signal });
        if (!answer.ok) throw new Error(answer.statusText);
        this.show(await answer.json());
        byId("lost").hidden = true;
      } catch {
        byId("lost").hidden = this.goesOn || this.finished;
        this.goesOn = false;
        await this.sending;
        await new Promise((again) => setTimeout(again, AGAIN_MS));
      }
    } while (!this.finished);
  }

  /** Send an intent; its result comes with the news.
   * @param {Record<string, unknown>} intent */
  send(intent) {
    this.sending = fetch("intent", { method: "POST", body: JSON.stringify(intent) }).catch(() => {
      byId("lost").hidden = false;
    });
  }

  /** @param {string} action */
  choose(action) {
    if (this.shown && this.shown.request !== null) this.send({ type: "choose", request: this.shown.request, action });
  }

  /** @param {Event} event */
  chooseAt(event) {
    const card = /** @type {Element} */ (event.target).closest(CARDS);
    if (card) this.choose(card.getAttribute("data-card") ?? "");
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || drawer()?.open) return;
    this.keyed = true;
    const target = /** @type {HTMLElement} */ (event.target);
    const control = target.closest("a, button, summary");
    if (this.held && GO_ON.includes(event.key) && (!control || control.matches(".go-on"))) this.release();
    else if (event.key === "?" && this.shown?.request !== null) this.send({ type: "hint" });
    else if (event.key === "r" || event.key === "R") this.openRules();
    else if (event.key === "ArrowRight") this.move(1);
    else if (event.key === "ArrowLeft") this.move(-1);
    else if ((event.key === "Enter" || event.key === " ") && target.matches(".hand [role=button]")) this.chooseAt(event);
    else return;
    event.preventDefault();
  }

  openRules() {
    drawer()?.showModal();
  }

  /** Move the focus to another choice.
   * @param {number} steps */
  move(steps) {
    // Cards come first, although the words stand above them.
    const found = [...document.querySelectorAll(CARDS), ...document.querySelectorAll(WORDS)];
    const choices = /** @type {HTMLElement[]} */ (found);
    const at = choices.findIndex((choice) => choice === document.activeElement);
    choices[at < 0 ? 0 : (at + steps + choices.length) % choices.length]?.focus();
  }

  /** @param {Shown} shown */
  show(shown) {
    const before = this.shown;
    this.shown = shown;
    if (before?.version === shown.version) return;
    this.clock = shown.seconds_left ?? 0;
    this.tick(0);
    if (before && shown.taken && shown.taken.since !== before.taken?.since) this.hold(shown.taken);
    else if (!this.held) this.render();
  }

  /** Show a complete trick for a while, before anything that came after it.
   * @param {Taken} taken */
  hold(taken) {
    clearTimeout(this.holding);
    this.held = taken;
    this.holding = setTimeout(() => this.release(), TAKEN_MS);
    this.draw(taken.drawn);
    byId("prompt").textContent = taken.says;
    byId("hint").textContent = "";
    byId("ask").hidden = true;
    byId("says").replaceChildren(element("p", {}, [taken.says]));
    const goOn = this.button("Go on", () => this.release(), "go-on");
    byId("words").replaceChildren(goOn);
    if (this.shown) this.story(this.shown);
    if (document.activeElement === document.body) goOn.focus({ preventScroll: true });
  }

  /** Move the complete trick to the seat that has taken it, and show what came after. */
  async release() {
    const taken = this.held;
    if (!taken) return;
    clearTimeout(this.holding);
    this.held = null;
    byId("words").replaceChildren();
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) await this.sweep(taken.drawn.table.tricks?.at(-1));
    if (!this.held) this.render();
  }

  /** Move the cards of a complete trick to the seats that get them.
   * @param {any} trick */
  async sweep(trick) {
    const moves = [...document.querySelectorAll("#table .laid")].map((laid) => {
      const card = laid.querySelector("[data-card]")?.getAttribute("data-card");
      const seat = card === trick?.high ? trick.high_to : (trick?.rest_to ?? trick?.taker);
      const to = document.querySelector(`#table [data-seat="${seat}"]`)?.getBoundingClientRect();
      const from = laid.getBoundingClientRect();
      const x = to ? to.x + to.width / 2 - from.x - from.width / 2 : 0;
      const y = to ? to.y + to.height / 2 - from.y - from.height / 2 : 0;
      const end = { translate: `${x}px ${y}px`, scale: "0.5", opacity: 0 };
      return laid.animate([{}, end], { duration: SWEEP_MS, easing: "ease-in", fill: "forwards" }).finished;
    });
    await Promise.allSettled(moves);
  }

  /** Show the present state. */
  render() {
    const shown = this.shown;
    if (!shown) return;
    const focused = document.activeElement;
    const held = focused?.getAttribute("data-card");
    const word = focused?.matches(WORDS) && this.offered === shown.request ? focused.textContent : null;
    const asked = shown.request !== null && !shown.deal_over;
    byId("title").textContent = document.title = shown.title || "Your match";
    byId("table").hidden = shown.drawn === null || shown.deal_over;
    byId("about").hidden = byId("gone").hidden = byId("table").hidden;
    byId("leaving").hidden = shown.phase === "over";
    byId("turn").hidden = shown.deal_over || shown.phase === "over";
    if (shown.drawn) {
      this.draw(shown.drawn);
      this.offer(shown, shown.drawn, asked);
    } else {
      byId("table").replaceChildren();
      this.measure();
    }
    byId("prompt").textContent = shown.prompt || (shown.phase === "starting" ? "Starting the bots …" : "The others are playing …");
    byId("words").replaceChildren(...(asked ? this.words(shown) : []));
    byId("ask").hidden = !asked;
    byId("hint").textContent = shown.hint && `Hint: ${shown.hint}`;
    this.between(shown);
    this.story(shown);
    // Keep the focus where it was, and move it to a new request.
    const again = held
      ? document.querySelector(`.near .hand [role=button][data-card="${held}"]`)
      : [...document.querySelectorAll(WORDS)].find((button) => button.textContent === word);
    if (again) /** @type {HTMLElement} */ (again).focus();
    else if (this.keyed && asked && this.offered !== shown.request && !focused?.matches("summary, .story")) this.move(0);
    this.offered = asked ? shown.request : null;
  }

  /** @param {Position} drawn */
  draw(drawn) {
    drawPosition(byId("table"), drawn);
    this.measure();
  }

  /** On a phone the hand covers the lower edge of the page, which leaves room for it. */
  measure() {
    const height = document.querySelector(".near .hand")?.getBoundingClientRect().height ?? 0;
    document.documentElement.style.setProperty("--hand", `${Math.ceil(height)}px`);
  }

  /** The choices in the hand, and information about the table.
   * @param {Shown} shown
   * @param {Position} drawn
   * @param {boolean} asked
   */
  offer(shown, drawn, asked) {
    document.querySelectorAll(".near .hand [data-card]").forEach((card) => {
      const action = card.getAttribute("data-card") ?? "";
      card.classList.toggle("chosen", action === shown.sent);
      card.classList.toggle("hinted", action === shown.hinted);
      if (!asked || !(action in shown.legal)) return;
      card.setAttribute("role", "button");
      card.setAttribute("tabindex", "0");
    });
    byId("says").replaceChildren(...shown.says.map((line) => element("p", {}, [line])));
    const gone = shown.played.length ? pileElement(shown.played, drawn.suits, "played") : element("p", { class: "soft" }, ["nothing yet"]);
    byId("played").replaceChildren(gone);
  }

  /** A button for every action that is not a card in the hand.
   * @param {Shown} shown */
  words(shown) {
    const hand = shown.drawn?.hands[shown.drawn.near] ?? [];
    return Object.entries(shown.legal)
      .filter(([action]) => !hand.includes(action))
      .map(([action, name]) => this.button(name, () => this.choose(action)));
  }

  /** What is shown instead of the table after a deal and after the match.
   * @param {Shown} shown */
  between(shown) {
    const over = shown.phase === "over";
    const box = byId("between");
    box.hidden = !over && !shown.deal_over;
    if (box.hidden) return box.replaceChildren();
    const number = shown.sheet?.deals.length;
    const parts = [element("h2", { id: "over", tabindex: "-1" }, [over ? "The match is over" : `Deal ${number} is over`])];
    if (over) {
      const rows = shown.placings.map((row) => element("li", { value: String(row.placing) }, [`${row.name}, ${minus(row.points)}`]));
      parts.push(element("p", { class: "outcome" }, [shown.result || "The match was stopped."]));
      if (rows.length) parts.push(element("ol", { class: "placings" }, rows));
    }
    if (shown.sheet?.left) parts.push(leftElement(shown.sheet, shown.sheet.left));
    if (shown.sheet) parts.push(sheetElement(shown.sheet));
    parts.push(element("p", { class: "next" }, over ? this.afterwards() : [this.button("Next deal", () => this.send({ type: "next deal" }))]));
    box.replaceChildren(...parts);
    // A late press of Enter for the last card must not begin another match.
    /** @type {HTMLElement | null} */ (box.querySelector(over ? "h2" : "button"))?.focus();
  }

  /** What can be done after the match. */
  afterwards() {
    const replay = element("a", { href: "replay", target: "_blank", rel: "noopener" }, ["Watch the replay"]);
    return [
      this.button("Play again", () => this.again()),
      replay,
      this.button("Finish", () => this.finish(), "plain"),
    ];
  }

  /** The arena ends the match, and with it the answers to this page.
   * @param {string} intent */
  leave(intent) {
    this.send({ type: intent });
    this.asking.abort();
    this.asking = new AbortController();
  }

  /** A new match with the same opponents and terms. */
  again() {
    this.goesOn = true;
    this.leave("again");
    byId("between").replaceChildren(element("p", { role: "status" }, ["Starting a new match …"]));
  }

  finish() {
    this.finished = true;
    this.leave("finish");
    const replaced = byId("between").querySelector(".next");
    replaced?.replaceChildren(element("span", { class: "soft", role: "status" }, ["The arena has stopped. You can close this page."]));
  }

  /** @param {Shown} shown */
  story(shown) {
    const list = byId("story");
    const items = [...list.children];
    const lines = shown.story.map(minus);
    // Add only new lines, since a screen reader reads what is added.
    const changed = items.findIndex((item, at) => item.textContent !== lines[at]);
    const told = changed < 0 ? items.length : changed;
    items.slice(told).forEach((item) => item.remove());
    list.append(...lines.slice(told).map((line) => element("li", /^deal \d+ /.test(line) ? { class: "deal" } : {}, [line])));
    list.setAttribute("aria-live", "polite");
    list.scrollTop = list.scrollHeight;
  }

  /** Count the person's clock down. */
  tick(seconds = 1) {
    this.clock = Math.max(0, this.clock - seconds);
    byId("clock").textContent = this.shown?.seconds_left == null ? "" : `${this.clock} s left`;
  }

  /**
   * @param {string} text
   * @param {() => void} pressed
   * @param {string} [kind] a class
   */
  button(text, pressed, kind = "") {
    const made = element("button", { type: "button", class: kind }, [text]);
    made.addEventListener("click", pressed);
    return made;
  }
}

/**
 * The points of the deals, as players write them down: a row for each deal, a column for each seat.
 * @param {Sheet} sheet
 */
function sheetElement(sheet) {
  const own = (/** @type {number} */ seat) => /** @type {Record<string, string>} */ (seat === sheet.you ? { class: "own" } : {});
  const row = (/** @type {string} */ name, /** @type {number[]} */ points) =>
    element("tr", {}, [
      element("th", { scope: "row" }, [name]),
      ...points.map((one, seat) => element("td", own(seat), [minus(one)])),
    ]);
  const head = sheet.names.map((name, seat) => element("th", { scope: "col", ...own(seat) }, [name]));
  const table = element("table", { class: "sheet" }, [
    element("caption", {}, [sheet.counts]),
    element("thead", {}, [element("tr", {}, [element("th", { scope: "col" }, ["deal"]), ...head])]),
    element("tbody", {}, sheet.deals.map((points, at) => row(String(at + 1), points))),
    element("tfoot", {}, [row("total", sheet.totals)]),
  ]);
  return element("div", { class: "sheet-around", tabindex: "0", role: "region", "aria-label": "Points of each deal" }, [table]);
}

/**
 * The cards that were left in the hands at the end of a deal, and the chips that were taken in it.
 * @param {Sheet} sheet
 * @param {string[][]} left
 */
function leftElement(sheet, left) {
  const rows = left.map((hand, seat) => {
    const cards = hand.map((card) => cardElement(card, sheet.suits, "small"));
    const chips = sheet.chips?.[seat] ? [chipsElement(sheet.chips[seat])] : [];
    return element("div", {}, [
      element("dt", {}, [sheet.names[seat]]),
      element("dd", {}, [...(cards.length ? cards : ["no card"]), ...chips]),
    ]);
  });
  return element("div", { class: "left-over" }, [element("h3", {}, [sheet.chips ? "left in the hands, and chips" : "left in the hands"]), element("dl", {}, rows)]);
}

/** The drawer with the rules; none for a game without a text of its rules. */
function drawer() {
  return /** @type {HTMLDialogElement | null} */ (document.getElementById("rules"));
}

new Seat();
