// The boards of a league while it is played: updates the tables of the page with the latest news (live.js).

/**
 * @typedef {[version: string, place: number | null, strength: number | null, low: number | null,
 *   high: number | null, pods: number, group: number | null, aheadOf: string, better: string, waits: number | null, wait: string,
 *   remark: string]} LiveRow
 * @typedef {{id: string, ahead: string, expected: string, rows: LiveRow[]}} LiveBoard
 * @typedef {{no: number, board: string, why: string, versions: string[], since: number}} PlayedDraw
 * @typedef {{state: string, stamp: string, written: number | null, draws: number, asleep: boolean,
 *   frozen: boolean, running: number, playing: PlayedDraw[], boards: LiveBoard[]}} LiveLeague
 */

const SILENT_SECONDS = 120;

/**
 * Where a value lies on an axis, from 0 to 100; beyond an end it is at that end.
 * @param {number} low
 * @param {number} high
 * @param {number} value
 */
function onAxis(low, high, value) {
  return Math.min(100, Math.max(0, (100 * (value - low)) / (high - low)));
}

/**
 * Which rows have a heavy line above: the first of each group but the best.
 * @param {(number | null)[]} groups from the best row to the last
 */
function beginGroups(groups) {
  return groups.map((group, at) => at > 0 && group !== null && group !== groups[at - 1]);
}

/**
 * The state of the league, in words.
 * @param {{state: string, asleep: boolean, frozen: boolean, written: number | null}} told
 * @param {number} now
 */
function howItIs({ state, asleep, frozen, written }, now) {
  if (state === "over") return "sealed";
  // A frozen page does not change, whether the league is played or not.
  if (frozen) return "frozen";
  const of = written === null ? "" : `, as of ${moment(written)}`;
  if (state === "stopped") return `${asleep ? "asleep" : "not being played"}${of}`;
  const silent = written === null ? 0 : now - written;
  if (silent > SILENT_SECONDS) return `last news ${duration(silent)} ago`;
  return asleep ? "asleep" : "being played";
}

/**
 * A bar as the page draws it, with other ends.
 * @param {SVGElement} drawn
 * @param {(value: number) => number} at
 * @param {number | null} low
 * @param {number} value
 * @param {number | null} high
 */
function redraw(drawn, at, low, value, high) {
  drawn.querySelectorAll(".interval, .point, .beyond").forEach((one) => one.remove());
  const point = `${at(value)}%`;
  if (low !== null && high !== null) {
    drawn.append(svg("rect", { class: "interval", x: `${at(low)}%`, width: `${at(high) - at(low)}%`, y: "25%", height: "50%", rx: "3" }));
  }
  drawn.append(svg("line", { class: "point", x1: point, x2: point, y1: "10%", y2: "90%" }));
  const words = low === null || high === null ? "" : `, interval ${gainText(low)} … ${gainText(high)}`;
  const title = drawn.querySelector("title");
  if (title) title.textContent = `${gainText(value)}${words}`;
}

/**
 * Updates a row from the news.
 * @param {HTMLElement} row
 * @param {LiveRow} told
 * @param {(value: number) => number} at
 */
function retell(row, [, place, strength, low, high, pods, , aheadOf, better, waits, wait, remark], at) {
  const cell = (/** @type {string} */ name) => /** @type {HTMLElement} */ (row.querySelector(name));
  cell(".rank").textContent = place === null ? "–" : String(place);
  cell(".rank").dataset.value = String(place ?? 99999);
  cell(".gain").textContent = gainText(strength);
  cell(".gain").dataset.value = String(strength ?? -99999);
  cell(".score").dataset.value = String(pods);
  const [number, word] = cell(".score").children;
  [number.textContent, word.textContent] = [String(pods), pods === 1 ? " pod" : " pods"];
  cell(".interval-text").textContent = low === null || high === null ? "–" : `${gainText(low)} … ${gainText(high)}`;
  cell(".ahead-of").textContent = aheadOf;
  cell(".better").textContent = better;
  cell(".wait").textContent = wait;
  cell(".wait").dataset.value = String(waits ?? 1e9);
  cell(".remark").textContent = remark;
  row.classList.toggle("unranked", place === null);
  const drawn = /** @type {SVGElement | null} */ (row.querySelector(".bar > svg"));
  if (drawn && strength !== null) redraw(drawn, at, low, strength, high);
}

/**
 * Updates a table. Returns whether there is something that it cannot show.
 * @param {HTMLElement} section
 * @param {LiveBoard} told
 */
function followBoard(section, told) {
  const part = (/** @type {string} */ name) => /** @type {HTMLElement} */ (section.querySelector(`[data-live=${name}]`));
  const table = /** @type {HTMLTableElement} */ (section.querySelector("table"));
  const [low, high] = [Number(table.dataset.low), Number(table.dataset.high)];
  const body = table.tBodies[0];
  const rows = new Map([...body.rows].map((row) => [row.dataset.version ?? "", row]));
  const known = told.rows.filter(([version]) => rows.has(version));
  const found = known.map(([version]) => /** @type {HTMLTableRowElement} */ (rows.get(version)));
  const first = beginGroups(known.map((row) => row[6]));
  part("ahead").textContent = told.ahead;
  part("expected").textContent = told.expected;
  glided([...body.rows], () => {
    known.forEach((row, at) => retell(found[at], row, (value) => onAxis(low, high, value)));
    found.forEach((row, at) => row.classList.toggle("apart", first[at]));
    // Keep the order if the reader has sorted the table differently.
    if (table.querySelector(".of-rank")?.getAttribute("aria-sort") === "ascending") body.prepend(...found);
  });
  return known.length < told.rows.length;
}

/** @param {News} news */
function league(news) {
  const now = byId("now");
  const list = /** @type {HTMLElement} */ (now.querySelector("[data-live=playing]"));
  const came = /** @type {LiveLeague} */ (/** @type {unknown} */ (news.came));
  const boards = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-board]"))];
  byId("newer").addEventListener("click", () => location.reload());

  news.listeners.push((any) => {
    const told = /** @type {LiveLeague} */ (/** @type {unknown} */ (any));
    let newer = told.stamp !== came.stamp;
    for (const board of told.boards) {
      const section = boards.find((one) => one.dataset.board === board.id);
      if (section) newer = followBoard(section, board) || newer;
    }
    byId("draws").textContent = String(told.draws);
    byId("draws-word").textContent = told.draws === 1 ? "draw" : "draws";
    byId("newer").hidden = !newer;
    now.hidden = byId("to-now").hidden = !told.playing.length;
    list.replaceChildren(
      ...told.playing.map((one) => {
        const since = made("span", "since");
        since.dataset.since = String(one.since);
        return made("li", "", made("b", "", `Draw ${one.no}: ${one.why} of ${one.versions.join(" and ")}`), " ", since, made("span", "soft", one.board));
      }),
      ...(told.running > told.playing.length ? [made("li", "soft", `and ${told.running - told.playing.length} more`)] : []),
    );
  });
  news.clocks.push((any) => {
    const told = /** @type {LiveLeague} */ (/** @type {unknown} */ (any));
    byId("state").textContent = howItIs(told, news.now);
    byId("live-notice").textContent = told.state === "stopped" ? "" : news.reloads ? news.word : news.notice;
    list.querySelectorAll("[data-since]").forEach((one) => {
      one.textContent = `for ${duration(Math.max(0, news.now - Number(one.getAttribute("data-since"))))}`;
    });
  });
}

if (typeof document !== "undefined") {
  const news = new News(JSON.parse(byId("live-data").textContent ?? "{}"));
  league(news);
  // A page from the disk cannot load anything, and a league that is not played does not change.
  if (location.protocol === "file:" && news.told.state !== "running") news.tell();
  else news.begin();
}
