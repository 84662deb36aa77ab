// The page of a person at a seat: asks its own server what to show, draws it (drawing.js), and sends what was
// chosen. It keeps no state that a reload would lose.

/**
 * @typedef {{version: number, phase: string, deal_over: boolean, title: string, drawn: Position | null,
 *   says: string[], played: string[], request: number | null, prompt: string, legal: Record<string, string>,
 *   sent: string | null, seconds_left: number | null, hint: string, story: string[],
 *   placings: {placing: number, name: string, points: string}[]}} Shown
 */

const AGAIN_MS = 1000;
const CHOICES = ".near .hand [role=button], #words button";

class Seat {
  constructor() {
    /** @type {Shown | undefined} */
    this.shown = undefined;
    this.clock = 0;
    byId("table").addEventListener("click", (event) => this.chooseAt(event));
    byId("ask").addEventListener("click", () => this.send({ type: "hint" }));
    document.addEventListener("keydown", (event) => this.key(event));
    setInterval(() => this.tick(), 1000);
    this.follow();
  }

  async follow() {
    do {
      try {
        const answer = await fetch(`news/${this.shown?.version ?? 0}`);
        if (!answer.ok) throw new Error(answer.statusText);
        this.show(await answer.json());
        byId("lost").hidden = true;
      } catch {
        byId("lost").hidden = false;
        await new Promise((again) => setTimeout(again, AGAIN_MS));
      }
    } while (this.shown?.phase !== "over");
  }

  /** Send an intent; its result comes with the news.
   * @param {Record<string, unknown>} intent */
  send(intent) {
    fetch("intent", { method: "POST", body: JSON.stringify(intent) }).catch(() => (byId("lost").hidden = false));
  }

  /** @param {string} action */
  choose(action) {
    if (this.shown && this.shown.request !== null) this.send({ type: "choose", request: this.shown.request, action });
  }

  /** @param {Event} event */
  chooseAt(event) {
    const card = /** @type {Element} */ (event.target).closest(".near .hand [role=button]");
    if (card) this.choose(card.getAttribute("data-card") ?? "");
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.key === "?" && this.shown?.request !== null) this.send({ type: "hint" });
    else if (event.key === "ArrowRight") this.move(1);
    else if (event.key === "ArrowLeft") this.move(-1);
    else if ((event.key === "Enter" || event.key === " ") && target.matches(".hand [role=button]")) this.chooseAt(event);
    else return;
    event.preventDefault();
  }

  /** Move the focus to another choice.
   * @param {number} steps */
  move(steps) {
    const choices = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(CHOICES)]);
    const at = choices.findIndex((choice) => choice === document.activeElement);
    choices[at < 0 ? 0 : (at + steps + choices.length) % choices.length]?.focus();
  }

  /** @param {Shown} shown */
  show(shown) {
    const before = this.shown;
    this.shown = shown;
    if (before?.version === shown.version) return;
    const focused = document.activeElement;
    const held = focused?.getAttribute("data-card");
    const asked = shown.request !== null && !shown.deal_over;
    byId("title").textContent = document.title = shown.title || "Your match";
    byId("table").hidden = shown.drawn === null || shown.deal_over;
    byId("about").hidden = byId("gone").hidden = byId("table").hidden;
    byId("turn").hidden = shown.deal_over || shown.phase === "over";
    if (shown.drawn) this.draw(shown, shown.drawn, asked);
    else byId("table").replaceChildren();
    byId("prompt").textContent = shown.prompt || (shown.phase === "starting" ? "The bots are started …" : "The others play …");
    byId("words").replaceChildren(...(asked ? this.words(shown) : []));
    byId("ask").hidden = !asked;
    byId("hint").textContent = shown.hint && `Hint: ${shown.hint}`;
    this.clock = shown.seconds_left ?? 0;
    this.tick(0);
    this.between(shown);
    this.story(shown);
    // Keep the focus where it was, and move it to a new request.
    const again = held && document.querySelector(`.near .hand [role=button][data-card="${held}"]`);
    if (again) /** @type {HTMLElement} */ (again).focus();
    else if (asked && before?.request !== shown.request && !focused?.matches("summary, .story")) this.move(0);
  }

  /**
   * @param {Shown} shown
   * @param {Position} drawn
   * @param {boolean} asked
   */
  draw(shown, drawn, asked) {
    drawPosition(byId("table"), drawn);
    document.querySelectorAll(".near .hand [data-card]").forEach((card) => {
      const action = card.getAttribute("data-card") ?? "";
      card.classList.toggle("chosen", action === shown.sent);
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
    const parts = [element("h2", {}, [over ? "The match is over" : "The deal is over"])];
    if (over) {
      const rows = shown.placings.map((row) => element("li", { value: String(row.placing) }, [`${row.name}, ${row.points}`]));
      parts.push(rows.length ? element("ol", { class: "placings" }, rows) : element("p", {}, ["It was broken off."]));
      parts.push(element("p", { class: "soft" }, ["The arena has stopped, and this page can be closed."]));
    } else {
      const points = shown.drawn?.table.points ?? [];
      const rows = shown.drawn?.names.map((name, seat) => element("li", {}, [`${name}, ${points[seat]} ${shown.drawn?.counts}`])) ?? [];
      parts.push(element("ul", { class: "placings" }, rows), this.button("Next deal", () => this.send({ type: "next deal" })));
    }
    box.replaceChildren(...parts);
    box.querySelector("button")?.focus();
  }

  /** @param {Shown} shown */
  story(shown) {
    const list = byId("story");
    list.replaceChildren(...shown.story.map((line) => element("li", /^deal \d+ /.test(line) ? { class: "deal" } : {}, [line])));
    list.scrollTop = list.scrollHeight;
  }

  /** Count the person's clock down. */
  tick(seconds = 1) {
    if (!this.shown || this.shown.seconds_left === null) return;
    this.clock = Math.max(0, this.clock - seconds);
    byId("prompt").textContent = `${this.shown.prompt} (${this.clock} s left)`;
  }

  /**
   * @param {string} text
   * @param {() => void} pressed
   */
  button(text, pressed) {
    const made = element("button", { type: "button" }, [text]);
    made.addEventListener("click", pressed);
    return made;
  }
}

new Seat();
