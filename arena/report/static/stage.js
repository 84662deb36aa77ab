// The stage: the tournament for a projector, at #stage. While it runs, the table moves and a replay plays beside it; when
// it is over, ranks are revealed from the last upwards; whoever has none is shown from the beginning. live.js provides the news.

const FRAME_MS = 60000;

/** @param {News} news */
function stageSection(news) {
  const root = /** @type {HTMLElement} */ (document.getElementById("stage"));
  const part = (/** @type {string} */ name) => /** @type {HTMLElement} */ (root.querySelector(`[data-live=${name}]`));
  const known = (/** @type {string} */ name) => /** @type {HTMLElement} */ (document.getElementById(`stage-${name}`));
  const replays = document.getElementById("live-data")?.getAttribute("data-replays");
  const board = new Board(part("board"));
  const reveals = news.came.state === "over";
  const unranked = () => news.told.table.filter((place) => place.rank === null).length;
  let revealed = 0;
  let framed = "";
  let framedAt = -Infinity;

  /** @param {Live} told */
  function show(told) {
    if (root.hidden) return;
    // When a tournament has just ended, its page reveals the result.
    if (told.state === "over" && !reveals) return location.reload();
    part("round").textContent = told.state === "over" ? "" : `Round ${told.round_no} of ${told.rounds}`;
    part("progress").textContent = `${told.done} of ${told.matches} matches`;
    const columns = told.table.length <= 12 ? 1 : told.table.length <= 40 ? 2 : 3;
    root.style.setProperty("--columns", String(columns));
    root.classList.toggle("packed", columns > 1);
    root.classList.toggle("dense", columns > 2);
    root.style.setProperty("--rows", String(Math.ceil(told.table.length / columns)));
    board.show(told.table);
    part("board").querySelectorAll(".name").forEach(cutMiddle);
    known("pods").hidden = reveals || !told.pods.length;
    part("pods").replaceChildren(
      ...told.pods.slice(0, 4).map((pod) => made("li", "", made("b", "", `${pod.pod_no}`), ` ${pod.entrants.join(" · ")} `, made("span", "soft together", `${pod.done} of ${pod.matches} matches`))),
      ...(told.open_pods > 4 ? [made("li", "soft", `and ${told.open_pods - 4} more`)] : []),
    );
    veil();
    frame(told);
  }

  /** Hides the places that are not revealed. */
  function veil() {
    known("keys").hidden = !reveals;
    root.classList.toggle("reveals", reveals);
    if (!reveals) return;
    revealed = Math.max(revealed, unranked());
    const rows = [...part("board").children];
    const first = rows.length - revealed;
    rows.forEach((row, at) => row.classList.toggle("veiled", at < first));
    rows.forEach((row, at) => row.classList.toggle("latest", at === first && revealed > unranked()));
    const place = revealed > unranked() ? news.told.table[first] : undefined;
    known("revealed").replaceChildren(
      ...(place ? [made("span", "soft", `rank ${place.rank}`), made("b", "", place.name), made("span", "", `${gainText(place.gain)} per deal`)] : [made("span", "soft", "The button below, → or the space bar reveals the next place, from the last to the first.")]),
    );
    // A long name stays in two lines, whole words in one.
    const name = place?.name ?? "";
    known("revealed").style.setProperty("--length", String(name.length || 1));
    known("revealed").style.setProperty("--word", String(Math.max(1, ...name.split(/\s+/).map((word) => word.length))));
    known("revealed").classList.toggle("first", place?.rank === 1);
    // The gold line alone would claim too much if another bot could be the best.
    if (place?.rank === 1) known("revealed").append(made("span", "claim", document.querySelector(".ahead .sentence")?.textContent ?? ""));
    for (const name of ["next", "all"]) /** @type {HTMLButtonElement} */ (known(name)).disabled = first === 0;
    /** @type {HTMLButtonElement} */ (known("back")).disabled = revealed === unranked();
  }

  /** @param {number} count */
  function reveal(count) {
    revealed = Math.max(0, Math.min(count, news.told.table.length));
    veil();
    // On a phone the table is longer than the screen.
    part("board").querySelector(".latest")?.scrollIntoView({ block: "nearest", behavior: "instant" });
  }

  /**
   * A replay of the pod that ended last, for a minute at least.
   * @param {Live} told
   */
  function frame(told) {
    const pod = told.finished.find((one) => one.replay);
    const latest = pod?.replay;
    if (!latest || latest === framed || performance.now() - framedAt < FRAME_MS) return;
    [framed, framedAt] = [latest, performance.now()];
    known("frame").classList.remove("here");
    const shown = document.createElement("iframe");
    shown.name = "stage";
    shown.title = "Replay";
    shown.src = `${replays}/${latest}.html`;
    known("frame").replaceChildren(made("h2", "", `Replay: round ${pod.round_no}, pod ${pod.pod_no}`), shown);
  }

  function turn() {
    const on = location.hash === "#stage";
    if (on !== root.hidden) return;
    root.hidden = !on;
    document.body.classList.toggle("on-stage", on);
    if (on) {
      show(news.told);
      news.tick();
    } else {
      known("frame").replaceChildren();
      known("frame").classList.remove("here");
      framed = "";
      framedAt = -Infinity;
    }
  }

  known("next").addEventListener("click", () => reveal(revealed + 1));
  known("back").addEventListener("click", () => reveal(revealed - 1));
  known("all").addEventListener("click", () => reveal(Infinity));
  document.addEventListener("keydown", (event) => {
    if (root.hidden || event.ctrlKey || event.metaKey || event.altKey) return;
    const onButton = /** @type {Element} */ (event.target).closest?.("button, a");
    if (event.key === "Escape") location.hash = "#standings";
    else if (!reveals) return;
    // A presenter's remote control sends the keys that turn pages.
    else if (["ArrowRight", "PageDown"].includes(event.key) || (!onButton && [" ", "Enter"].includes(event.key))) reveal(revealed + 1);
    else if (["ArrowLeft", "PageUp"].includes(event.key)) reveal(revealed - 1);
    else return;
    event.preventDefault();
  });
  // A replay announces itself: if a report was sent without replays, the browser would show an error page instead.
  window.addEventListener("message", ({ source }) => {
    const shown = known("frame").querySelector("iframe");
    if (shown && source === shown.contentWindow) known("frame").classList.add("here");
  });
  window.addEventListener("hashchange", turn);
  news.listeners.push(show);
  news.clocks.push((told) => {
    if (root.hidden) return;
    const left = secondsLeft(told, news.now);
    const whole = Math.round(left ?? 0);
    const clock = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
    const digits = clock.slice(clock[0] ? 0 : 1).map((one, at) => (at ? String(one).padStart(2, "0") : String(one)));
    known("left").hidden = told.state !== "running" || left === null || news.quiet;
    part("countdown").textContent = digits.join(":");
    known("notice").textContent = news.word;
  });
  turn();
}

if (typeof document !== "undefined") {
  const news = new News(JSON.parse(document.getElementById("live-data")?.textContent ?? "{}"));
  liveSection(news);
  stageSection(news);
  news.begin();
}
