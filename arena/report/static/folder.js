// For a report of thousands of matches: loads rows of matches and of drawn tables, and most of a bot's page, from files
// when they are about to become visible. folder.py writes the files.

/**
 * @typedef {[pod_no: number, members: [name: string, score: string | null][],
 *   games: [seating_no: number, match_id: string, replay: boolean][], had_met: string, widest_gap: string,
 *   way_out: string]} Pod
 */

/** Rows in numbered files: shows those of one file, or as many results of a search at a time.
 * @template Row */
class Rows {
  /**
   * @param {HTMLElement} box says where they are, how many, and how many are in a file
   * @param {(rows: Row[]) => HTMLElement} drawn
   */
  constructor(box, drawn) {
    this.box = box;
    this.drawn = drawn;
    this.path = box.dataset.rows;
    this.count = Number(box.dataset.count);
    this.inFile = Number(box.dataset.inFile);
    /** @type {Row[] | null} What a search has found. */
    this.found = null;
    /** Incremented whenever other rows are requested. */
    this.asked = 0;
  }

  /** @param {number} part */
  file(part) {
    return /** @type {Promise<Row[]>} */ (read(`${this.path}-${part + 1}.json`));
  }

  /** @param {number} part */
  async show(part) {
    const asked = ++this.asked;
    const first = part * this.inFile;
    try {
      const rows = this.found ? this.found.slice(first, first + this.inFile) : await this.file(part);
      if (asked === this.asked) this.box.replaceChildren(this.drawn(rows), ...this.turns(part));
    } catch (error) {
      if (asked === this.asked) this.box.replaceChildren(unread(error));
    }
  }

  /**
   * Buttons that lead to other parts, if there are any.
   * @param {number} part
   */
  turns(part) {
    const count = this.found ? this.found.length : this.count;
    if (count <= this.inFile) return [];
    const first = part * this.inFile;
    const last = Math.min(first + this.inFile, count);
    /** @param {string} words @param {number} to @param {boolean} there */
    const button = (words, to, there) => {
      const made = element("button", { type: "button", ...(there ? {} : { disabled: "" }) }, [words]);
      made.addEventListener("click", async () => {
        await this.show(to);
        // The pressed button has been replaced, and may lead nowhere now.
        const turns = [.../** @type {NodeListOf<HTMLButtonElement>} */ (this.box.querySelectorAll(".turns button"))];
        (turns.find((one) => one.textContent === words && !one.disabled) ?? turns.find((one) => !one.disabled))?.focus();
      });
      return made;
    };
    return [element("p", { class: "turns" }, [
      button("← Before", part - 1, part > 0),
      element("span", { role: "status" }, [`${first + 1}–${last} of ${count}`]),
      button("Next →", part + 1, last < count),
    ])];
  }

  /**
   * Shows the rows that have every word; all rows without a word. Reads all files, one after the other.
   * @param {string} words
   * @param {(row: Row) => string} text
   * @param {(told: string) => void} tell
   */
  async search(words, text, tell) {
    const asked = ++this.asked;
    this.found = null;
    tell("");
    if (!words) return this.show(0);
    /** @type {Row[]} */
    const found = [];
    for (let part = 0; part * this.inFile < this.count; part += 1) {
      try {
        const rows = await this.file(part);
        if (asked !== this.asked) return;
        found.push(...rows.filter((row) => wanted(text(row), words)));
      } catch (error) {
        return this.box.replaceChildren(unread(error));
      }
    }
    this.found = found;
    tell(`${found.length} of ${this.count}`);
    this.show(0);
  }
}

/** @param {Bots} bots without what is in files */
function readFolder(bots) {
  const called = new Map(bots.bots.map((bot) => [bot.name, bot.called]));
  const files = byId("bots").dataset.rows;
  const list = /** @type {HTMLElement | null} */ (document.querySelector("#matches .rows"));
  const search = /** @type {HTMLInputElement | null} */ (document.querySelector("[data-searches]"));
  /** @type {Rows<Match> | null} */
  const matches = list && new Rows(list, matchTable);

  /** @param {string} name */
  const botLink = (name) => element("a", { class: "of-bot", href: `#bot=${encodeURIComponent(name)}` }, [called.get(name) ?? name]);

  /** @param {string} text */
  const soft = (text) => element("span", { class: "soft" }, [text]);

  /** @param {string} matchId @param {boolean} replay @param {string} words @param {Record<string, string>} [more] */
  const matchLink = (matchId, replay, words, more = {}) => (replay ? element("a", { href: `${bots.replays}/${matchId}.html`, ...more }, [`${words}\u00a0▶`]) : words);

  /** @param {Match[]} rows */
  function matchTable(rows) {
    const decided = rows.some(([, , , decisive]) => decisive);
    const made = table("Matches", [{ label: "Match" }, { label: `Placings and ${bots.counts}` }, ...(decided ? [{ label: "Decided in", kind: "decided" }] : [])], rows.map(([matchId, replay, seats, decisive]) => [
      { content: [matchLink(matchId, replay, matchText(matchId)), " ", soft(matchId)], kind: "id" },
      {
        content: [...seats].sort((one, other) => one[1] - other[1]).flatMap(([bot, placing, points, , forfeit]) => [
          element("span", { class: placing === 1 ? "seated first" : "seated" }, [
            soft(`${placing}.`), " ", botLink(bots.bots[bot].name), " ", element("b", {}, [minus(points)]),
            ...(forfeit ? [" ", element("i", { class: "bad" }, [forfeit])] : []),
          ]),
          " ",
        ]),
      },
      ...(decided ? [{ content: [decidedIn(bots.replays, matchId, replay, decisive)] }] : []),
    ]), "cards");
    made.classList.add("tall");
    for (const [name, value] of Object.entries({ tabindex: "0", role: "region", "aria-label": "Matches" })) made.setAttribute(name, value);
    return made;
  }

  /** @param {Pod[]} rows */
  function podTable(rows) {
    return table("Pods of a round", [{ label: "Pod", kind: "number" }, { label: "Entrants" }, { label: "Matches", kind: "games" }, { label: "", kind: "small" }], rows.map(([podNo, members, games, hadMet, gap, wayOut]) => [
      { content: [String(podNo)] },
      { content: commas(members.map(([name, score]) => element("span", {}, [botLink(name), ...(score === null ? [] : ["\u00a0", soft(score)])]))) },
      { content: games.flatMap(([seatingNo, matchId, replay]) => [matchLink(matchId, replay, String(seatingNo), { "aria-label": `Replay of ${matchText(matchId)}` }), " "]) },
      { content: [element("details", {}, [element("summary", {}, ["why"]), element("p", {}, [`Had met: ${hadMet}. Widest gap in score: ${gap}. Cheapest exchange: ${wayOut}.`])])] },
    ]), "cards");
  }

  /** @param {Match} match */
  const matchWords = ([matchId, , seats]) => `${matchText(matchId)} ${matchId} ${seats.map(([bot, , , , forfeit]) => `${bots.bots[bot].called} ${forfeit}`).join(" ")}`;

  const searched = () => search && matches?.search(search.value.trim(), matchWords, (told) => {
    /** @type {HTMLElement} */ (search.parentElement?.querySelector("output")).textContent = told;
  });

  /** Adds the content of a bot's file to its page. */
  async function fillBot() {
    const name = askedBot(location.hash);
    const at = bots.bots.findIndex((bot) => bot.name === name);
    if (at < 0) return;
    const page = byId("bot");
    const top = /** @type {Element} */ (page.firstElementChild);
    try {
      /** @type {{bot: Bot, matches: Match[]}} */
      const { bot, matches: own } = await read(`${files}-bot-${at + 1}.json`);
      if (!page.contains(top)) return;
      const [, ...parts] = botPage({ ...bots, bots: bots.bots.map((one, which) => (which === at ? bot : one)), matches: own }, at);
      // Keep the top, since it has the focus.
      while (top.nextSibling) top.nextSibling.remove();
      top.after(...parts);
      if (own.length < bot.row.matches) page.querySelector(".matches")?.closest(".wide")?.before(onlySome(own.length, bot));
    } catch (error) {
      if (page.contains(top)) top.after(unread(error));
    }
  }

  /** @param {number} shown @param {Bot} bot */
  function onlySome(shown, bot) {
    const all = element("a", { href: "#matches" }, [`all ${bot.row.matches}`]);
    all.addEventListener("click", () => {
      if (search) search.value = bot.called;
      searched();
    });
    return element("p", { class: "lead" }, [`${shown} matches: the latest, the best, the worst, and those with faults; `, all, " are in the list of matches."]);
  }

  if (matches && list) {
    search?.addEventListener("input", searched);
    // The box gets its height before its rows, so that nothing moves.
    new IntersectionObserver(([seen], watching) => {
      if (!seen.isIntersecting) return;
      watching.disconnect();
      if (!matches.asked) matches.show(0);
    }, { rootMargin: "50%" }).observe(list);
  }
  document.querySelectorAll("#pairings details").forEach((round) => {
    const rows = new Rows(/** @type {HTMLElement} */ (round.querySelector(".rows")), podTable);
    round.addEventListener("toggle", () => rows.asked || rows.show(0));
  });
  if (location.protocol === "file:") document.querySelector(".top")?.append(howToServe());
  // After followAddress, which shows the content of the page itself.
  window.addEventListener("hashchange", fillBot);
  fillBot();
}

readFolder(JSON.parse(byId("bots").textContent ?? ""));
