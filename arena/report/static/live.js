// Shows what is happening in a tournament. While the page is visible it loads a small file beside it, and shows the news
// when nobody is touching the page. From the disk, where browsers refuse that, the page reloads instead, until somebody
// uses it.

/**
 * @typedef {{bot: string, name: string, rank: number | null, climbed: number, gain: number | null, score: string, most: string}} Place
 * @typedef {{pod_no: number, seating_no: number, entrants: string[], since: number}} RunningMatch
 * @typedef {{pod_no: number, entrants: string[], done: number, matches: number}} RunningPod
 * @typedef {{round_no: number, pod_no: number, entrants: string[], replay: string}} FinishedPod
 * @typedef {{state: string, round_no: number, reported: number, rounds: number, done: number, matches: number, written: number | null,
 *   ends: number | null, entrants: number, ahead: string, table: Place[], running: number, playing: RunningMatch[],
 *   open_pods: number, pods: RunningPod[], finished: FinishedPod[]}} Live
 */

const LIVE_FILE = "live.json";
const ASK_MS = 2000;
const RELOAD_MS = 20000;
const UNTOUCHED_MS = 2000;
const MOVE_MS = 700;
const QUIET_SECONDS = 60;
const SHORT_BOARD = 10;
/** @type {Record<string, string>} */
const STATES = { running: "being played", stopped: "stopped", over: "finished" };

/**
 * An element with children; texts never become markup.
 * @param {string} tag
 * @param {string} name its class
 * @param {(Node | string)[]} children
 */
function made(tag, name, ...children) {
  const one = document.createElement(tag);
  if (name) one.className = name;
  one.append(...children);
  return one;
}

/** @param {number} seconds */
function duration(seconds) {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

/**
 * Changes a page; rows that remain glide to their new places.
 * @param {HTMLElement[]} rows
 * @param {() => void} change
 */
function glided(rows, change) {
  const before = rows.map((row) => row.getBoundingClientRect());
  change();
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  rows.forEach((row, at) => {
    const [from, to] = [before[at], row.getBoundingClientRect()];
    if (!from.width || !to.width || (from.top === to.top && from.left === to.left)) return;
    const glide = `translate(${from.left - to.left}px, ${from.top - to.top}px)`;
    row.animate([{ transform: glide }, { transform: "none" }], { duration: MOVE_MS, easing: "ease-in-out" });
  });
}

/** A table whose rows keep their elements, and glide to their new places. */
class Board {
  /**
   * @param {Element} list
   * @param {boolean} [linked] whether names lead to the pages of the bots
   */
  constructor(list, linked = false) {
    this.list = list;
    this.linked = linked;
    /** @type {Map<string, HTMLElement>} */
    this.rows = new Map();
  }

  /** @param {Place[]} places */
  show(places) {
    const held = /** @type {HTMLElement | null} */ (document.activeElement);
    const inside = this.list.contains(held);
    glided([...this.rows.values()], () => {
      const rows = places.map((place) => this.row(place));
      this.list.replaceChildren(...rows);
      this.rows = new Map(places.map((place, at) => [place.bot, rows[at]]));
    });
    if (inside) held?.focus({ preventScroll: true });
  }

  /** @param {Place} place */
  row(place) {
    const row = this.rows.get(place.bot) ?? made("li", "");
    const name = row.querySelector(".name") ?? made(this.linked ? "a" : "span", this.linked ? "name of-bot" : "name");
    if (this.linked) name.setAttribute("href", `#bot=${encodeURIComponent(place.bot)}`);
    name.textContent = place.name;
    const way = Math.sign(place.climbed);
    const move = made("span", `move ${["down", "", "up"][way + 1]}`);
    if (way) {
      move.title = "places in this round";
      const sign = made("span", "", `${way > 0 ? "▲" : "▼"}${Math.abs(place.climbed)}`);
      sign.setAttribute("aria-hidden", "true");
      move.append(sign, made("span", "unseen", `${way > 0 ? "up" : "down"} ${Math.abs(place.climbed)} in this round`));
    }
    row.replaceChildren(
      made("span", "rank", place.rank === null ? "–" : String(place.rank)),
      move,
      name,
      made("span", "gain", gainText(place.gain)),
      made("span", "score", place.most === "0" ? "–" : `${place.score}/${place.most}`),
    );
    row.classList.toggle("unranked", place.rank === null);
    return row;
  }
}

/** The latest news, and who listens to them. */
class News {
  /** @param {Live} told what the page came with */
  constructor(told) {
    this.told = told;
    /** @type {((told: Live) => void)[]} */
    this.listeners = [];
    /** @type {((told: Live) => void)[]} */
    this.clocks = [];
    /** Seconds by which the server's clock is ahead of ours. */
    this.ahead = 0;
    this.notice = "";
    this.reloads = false;
    /** Whether somebody has opened, typed or chosen something that a reload would lose. */
    this.used = false;
    this.touched = -Infinity;
    this.waiting = false;
    this.came = told;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.next = undefined;
  }

  begin() {
    this.tell();
    if (this.told.state === "over") return;
    for (const kind of ["pointerdown", "pointermove", "keydown", "wheel", "touchmove"]) {
      document.addEventListener(kind, () => (this.touched = performance.now()), { passive: true });
    }
    for (const kind of ["click", "input", "keydown"]) document.addEventListener(kind, () => (this.used = true), { capture: true });
    document.addEventListener("visibilitychange", () => this.seen());
    setInterval(() => document.hidden || this.tick(), 1000);
    if (location.protocol !== "file:") this.seen();
    else if (this.told.state === "running") this.reloadLater("On a web server it would follow every match.");
  }

  get now() {
    return Date.now() / 1000 + this.ahead;
  }

  /** Seconds since the last news. */
  get silent() {
    return this.told.written === null ? 0 : this.now - this.told.written;
  }

  /** Whether the last news are so old that nobody knows what is happening. */
  get quiet() {
    return this.told.state === "running" && this.silent > QUIET_SECONDS;
  }

  /** A sentence about the news themselves. */
  get word() {
    // A page that can only reload knows only its age, not what is being played now.
    if (this.reloads) return `This page is ${duration(this.age)} old${this.used ? "; reload it for a newer one" : ", and reloads every 20 s"}. ${this.notice}`;
    return this.notice || (this.told.state === "stopped" ? "The tournament was stopped before its end." : "") || (this.quiet ? `No news for ${duration(this.silent)}; it may have been stopped.` : "");
  }

  /** Seconds since the page was written. */
  get age() {
    return Math.max(0, (Date.now() - Date.parse(document.lastModified)) / 1000);
  }

  seen() {
    clearTimeout(this.next);
    if (!document.hidden && !this.reloads && this.told.state !== "over") this.ask();
  }

  async ask() {
    // A tournament that was stopped may be resumed.
    let wait = this.told.state === "stopped" ? RELOAD_MS : ASK_MS;
    try {
      const answer = await fetch(LIVE_FILE, { cache: "no-cache" });
      if (answer.status === 404) {
        if (this.told.state === "running") this.reloadLater("There is no file next to it that says what is being played.");
        return;
      }
      if (!answer.ok) throw new Error(answer.statusText);
      const clock = Date.parse(answer.headers.get("date") ?? "");
      /** @type {Live} */
      const told = await answer.json();
      if (clock) this.ahead = clock / 1000 - Date.now() / 1000;
      this.notice = "";
      this.told = told;
      this.tellUntouched();
    } catch {
      wait = 3 * ASK_MS;
      this.notice = "The server is not responding. This page will try again.";
      this.tick();
    }
    clearTimeout(this.next);
    if (!document.hidden && this.told.state !== "over") this.next = setTimeout(() => this.ask(), wait);
  }

  /** Nothing moves while somebody touches the page. */
  tellUntouched() {
    if (this.waiting) return;
    const rest = this.touched + UNTOUCHED_MS - performance.now();
    if (rest <= 0) return this.tell();
    this.waiting = true;
    setTimeout(() => ((this.waiting = false), this.tellUntouched()), rest);
  }

  tell() {
    this.listeners.forEach((listener) => listener(this.told));
    this.tick();
  }

  tick() {
    this.clocks.forEach((clock) => clock(this.told));
  }

  /** @param {string} why */
  reloadLater(why) {
    this.notice = why;
    this.reloads = true;
    this.tick();
    setInterval(() => {
      if (!this.used && !document.hidden && performance.now() - this.touched > UNTOUCHED_MS) location.reload();
    }, RELOAD_MS);
  }
}

/**
 * The seconds until the last match ends; null where that is unknown.
 * @param {Live} told
 * @param {number} now
 */
function secondsLeft(told, now) {
  return told.ends === null ? null : Math.max(0, told.ends - now);
}

/** @param {News} news */
function liveSection(news) {
  const root = /** @type {HTMLElement} */ (document.getElementById("live"));
  if (!root) return;
  const part = (/** @type {string} */ name) => /** @type {HTMLElement} */ (root.querySelector(`[data-live=${name}]`));
  const [newer, all, notice] = ["newer", "all", "notice"].map((name) => /** @type {HTMLElement} */ (document.getElementById(`live-${name}`)));
  const state = /** @type {HTMLElement} */ (document.getElementById("state"));
  const [asOf, ahead, ofStandings] = ["as-of", "who-is-ahead", "standings-as-of"].map(byId);
  const written = [asOf, ahead].map((one) => one?.textContent ?? "");
  const board = new Board(part("board"), true);
  const came = news.came;
  const replays = document.getElementById("live-data")?.getAttribute("data-replays");
  let whole = false;
  root.hidden = false;
  // This part shows the present state; the text written with the page would contradict it.
  document.querySelectorAll(".as-written").forEach((one) => one.setAttribute("hidden", ""));
  newer.addEventListener("click", () => location.reload());
  all.addEventListener("click", () => ((whole = !whole), show(news.told)));

  /** @param {Live} told */
  function show(told) {
    part("progress").textContent = `Round ${told.round_no} of ${told.rounds} · ${told.done} of ${told.matches} matches`;
    part("bar").setAttribute("value", String(told.matches ? told.done / told.matches : 0));
    board.show(whole ? told.table : told.table.slice(0, SHORT_BOARD));
    all.hidden = told.table.length <= SHORT_BOARD;
    all.textContent = whole ? `Only the first ${SHORT_BOARD}` : `All ${told.table.length}`;
    all.setAttribute("aria-expanded", String(whole));
    part("cut").textContent = whole && told.entrants > told.table.length ? `and ${told.entrants - told.table.length} more` : "";
    part("playing").replaceChildren(
      ...told.playing.map((one) => {
        const since = made("span", "since");
        since.setAttribute("data-since", String(one.since));
        return made("li", "", made("b", "", `Pod ${one.pod_no}, match ${one.seating_no}`), " ", since, made("span", "soft", one.entrants.join(", ")));
      }),
      ...(told.running > told.playing.length ? [made("li", "soft", `and ${told.running - told.playing.length} more`)] : []),
    );
    part("finished").replaceChildren(
      ...told.finished.map((pod) => {
        const link = made("a", "", "hands ▶");
        link.setAttribute("href", `${replays}/${pod.replay}.html`);
        const place = made("b", "", `Round ${pod.round_no}, pod ${pod.pod_no}`);
        return made("li", "", place, " ", ...(pod.replay ? [link] : []), made("span", "soft", pod.entrants.join(", ")));
      }),
    );
    part("when").textContent = told.state === "over" ? "Standings at the end" : "Standings now";
    part("heading").textContent = told.state === "stopped" ? "Stopped" : "Live";
    state.textContent = STATES[told.state] ?? "";
    // The sentence, like the table below, is that of now, unless the page itself says more; its standings are older.
    const isNewer = told.done !== came.done && told.ahead !== "";
    [asOf, ahead].forEach((one, at) => one && (one.textContent = isNewer ? ["", told.ahead][at] : written[at]));
    if (ofStandings) ofStandings.hidden = told.done === came.done;
    newer.classList.toggle("last", told.state === "over");
    newer.hidden = told.reported <= came.reported && told.state !== "over";
    newer.textContent = told.state === "over" ? "The tournament is over: show the final report" : `Round ${told.reported - 1} is over: show its figures`;
  }

  news.listeners.push(show);
  news.clocks.push((told) => {
    const left = secondsLeft(told, news.now);
    part("left").textContent = left === null || news.quiet ? "" : left < 1 ? (news.told.matches - news.told.done > news.told.running ? "· longer than expected" : "· about to end") : `· about ${duration(left)} left`;
    part("now").hidden = told.state !== "running" || told.written === null || news.quiet;
    notice.textContent = news.word;
    notice.classList.toggle("urgent", news.quiet);
    root.querySelectorAll("[data-since]").forEach((one) => {
      one.textContent = news.quiet ? "" : `for ${duration(Math.max(0, news.now - Number(one.getAttribute("data-since"))))}`;
    });
  });
}
