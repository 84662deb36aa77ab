// The page of a bot, shown in place of the report if the address names one: report.html#bot=NAME. The report contains
// the data of all bots, computed by bots.py; this script only shows it.

/**
 * @typedef {[bot: number, ahead: number, level: number, behind: number, gain: number | null]} Against
 * @typedef {[seat: number, matches: number, gain: number | null, error: number | null]} InSeat
 * @typedef {[bot: number, placing: number, points: number, gain: number | null, forfeit: string]} Taken
 * @typedef {[match_id: string, replay: boolean, seats: Taken[], decisive: number | null]} Match
 * @typedef {{no: number, kind: string, meaning: string, why: string, cure: string, times: number,
 *   forfeits: number, places: [string, number][]}} Fault
 * @typedef {{name: string, called: string, profile: Record<string, string>, state: string, could_be: string,
 *   row: Record<string, any>, versions: number[], against: Against[], seats: InSeat[], best: number | null,
 *   worst: number | null, ranks: (number | null)[], gains: (number | null)[], faults: Fault[],
 *   time: Record<string, number> | null}} Bot
 * @typedef {{ranked: number, rounds: number, counts: string, decision_ms: number, replays: string, bots: Bot[],
 *   matches: Match[]}} Bots
 * @typedef {Node | string} Content
 * @typedef {{content: Content[], value?: number | string, kind?: string}} Cell
 * @typedef {{label: string, sort?: "number" | "text", kind?: string}} Column
 */

const MANY_ROUNDS = 12;

/**
 * The name of the bot that an address asks for; null if it asks for none.
 * @param {string} hash
 */
function askedBot(hash) {
  if (!hash.startsWith("#bot=")) return null;
  const name = hash.slice("#bot=".length);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** @param {string} matchId such as r01-p002-s03 */
function matchText(matchId) {
  const [round, pod, seating] = matchId.split("-").map((part) => Number(part.slice(1)));
  return `Round ${round}, pod ${pod}, match ${seating}`;
}

/**
 * The deal that decided a match, with a way to it.
 * @param {string} replays
 * @param {string} matchId
 * @param {boolean} replay
 * @param {number | null} deal
 */
function decidedIn(replays, matchId, replay, deal) {
  if (deal === null) return "";
  return replay ? element("a", { href: `${replays}/${matchId}.html#deal=${deal}` }, [`deal ${deal}\u00a0▶`]) : `deal ${deal}`;
}

/** @param {number} place */
function ordinal(place) {
  const teen = place % 100 > 10 && place % 100 < 14;
  return `${place}${(!teen && ["", "st", "nd", "rd"][place % 10]) || "th"}`;
}

/** @param {Fault} fault */
function consequence({ times, forfeits }) {
  if (!forfeits) return "Forgiven: a substitute chose in its place.";
  if (forfeits < times) return `Forfeited ${forfeits} times, forgiven ${times - forfeits} times.`;
  return times > 1 ? "Forfeited the match each time." : "Forfeited the match.";
}

/** @param {string} text */
function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

/**
 * The parts of one bot's page.
 * @param {Bots} data
 * @param {number} at the place of the bot among all of them
 */
function botPage(data, at) {
  const bot = data.bots[at];
  const { row } = bot;
  const mine = data.matches.flatMap((match) => {
    const seat = match[2].findIndex((taken) => taken[0] === at);
    return seat < 0 ? [] : [{ match, seat }];
  });

  /** @param {number} other */
  const link = (other) => element("a", { href: `#bot=${encodeURIComponent(data.bots[other].name)}` }, [data.bots[other].called]);

  /**
   * @param {string} matchId
   * @param {boolean} replay
   * @param {number} [deal]
   */
  const matchLink = (matchId, replay, deal = 0) => {
    const words = matchText(matchId) + (deal ? `, deal ${deal}` : "");
    if (!replay) return words;
    return element("a", { href: `${data.replays}/${matchId}.html${deal ? `#deal=${deal}` : ""}` }, [`${words} ▶`]);
  };

  const top = () => {
    const { author, language, says, digest } = bot.profile;
    const facts = [
      bot.state,
      author && `by ${author}`,
      language && `written in ${language}`,
      says && `calls itself “${says}”`,
      row.joined && `since round ${row.joined}`,
      digest && `SHA-256 ${digest.slice(0, 16)}…`,
      // Only the report of a tournament that is not over says so.
      document.getElementById("standings-as-of")?.textContent?.trim(),
    ].filter(Boolean);
    const name = bot.called === bot.name ? [] : [" ", element("span", { class: "soft" }, [bot.name])];
    return element("header", {}, [
      element("p", { class: "eyebrow" }, [element("a", { href: "#standings" }, ["← All standings"])]),
      element("h1", { id: "bot-name", tabindex: "-1" }, [bot.called, ...name]),
      element("p", { class: "facts" }, facts.map((fact) => element("span", {}, [fact]))),
      figures([
        ["Rank", row.rank === null ? "–" : `${row.rank} of ${data.ranked}`, row.rank === null ? "" : `could be ${bot.could_be}`],
        ["Gain per deal, adjusted", gainText(row.gain), row.low === null ? "" : `${gainText(row.low)} … ${gainText(row.high)}`],
        ["Score", row.max_score ? `${row.score} of ${row.max_score}` : "–", ""],
        ["Matches", String(row.matches), `${row.deals} deals`],
        ["Forfeits", String(Object.values(row.forfeits).reduce((sum, count) => sum + count, 0)), Object.keys(row.forfeits).join(", ")],
      ]),
    ]);
  };

  /** What forfeits did to its gain; nothing if it has none, or if its matches are in a file. */
  const cost = () => {
    const finished = mine.filter(({ match, seat }) => !match[2][seat][4]);
    const gains = finished.flatMap(({ match, seat }) => match[2][seat][3] ?? []);
    const count = mine.length - finished.length;
    if (!count) return [];
    const rest = gains.length ? ` In the other ${finished.length === 1 ? "one" : finished.length} it gained ${gainText(gains.reduce((sum, gain) => sum + gain, 0) / gains.length)} per deal.` : "";
    return [lead(`It forfeited ${count} of its ${mine.length} matches. In these, each deal counts as the lowest gain at the table.${rest}`)];
  };

  const faults = () => section("Faults", !bot.faults.length ? [] : [...cost(), ...bot.faults.map((fault) => element("div", { class: "fault" }, [
    element("p", {}, [
      element("strong", { class: "bad" }, [fault.times > 1 ? `${fault.times} × ${fault.kind}` : fault.kind]),
      " ", ...codes(sentence(`${fault.meaning}: ${fault.why}`)),
      element("span", { class: "soft" }, [` ${consequence(fault)}`]),
    ]),
    ...(fault.cure ? [element("p", { class: "cure" }, [element("b", {}, ["Advice: "]), ...codes(sentence(fault.cure))])] : []),
    element("ul", { class: "places" }, fault.places.map(([matchId, deal]) =>
      element("li", {}, [matchLink(matchId, data.matches.some((match) => match[0] === matchId && match[1]), deal)]))
      .concat(fault.times > fault.places.length ? [element("li", {}, [`and ${fault.times - fault.places.length} more`])] : [])),
    element("p", {}, [element("a", { href: `#fault-${fault.no}` }, ["What it was sent and what it wrote"])]),
  ]))]);

  /**
   * @param {string} word
   * @param {number} which
   */
  const extreme = (word, which) => {
    const [matchId, replay, seats, decisive] = data.matches[which];
    const seat = seats.findIndex((taken) => taken[0] === at);
    const [, placing, points, gain, forfeit] = seats[seat];
    return element("div", { class: "extreme" }, [
      element("h3", {}, [word]),
      element("p", {}, [matchLink(matchId, replay), ...(decisive ? [", decided in ", decidedIn(data.replays, matchId, replay, decisive)] : [])]),
      element("p", {}, [
        element("b", {}, [`${ordinal(placing)} of ${seats.length}`]),
        `, ${gainText(gain)} per deal, ${numberOf(points, data.counts)}, seat ${seat}`,
        ...(forfeit ? [", ", element("i", { class: "bad" }, [forfeit])] : []),
      ]),
      element("p", { class: "soft" }, ["against ", ...commas(others(seats))]),
    ]);
  };

  /** @param {Taken[]} seats */
  const others = (seats) => [...seats].filter((taken) => taken[0] !== at).sort((one, other) => one[1] - other[1])
    .map(([other, placing]) => element("span", { class: placing === 1 ? "first" : "" }, [`${placing}. `, link(other)]));

  const bestAndWorst = () => section("Best and worst match", bot.best === null || bot.worst === null ? [] : [
    element("div", { class: "extremes" }, [extreme("Best", bot.best), extreme("Worst", bot.worst)]),
  ]);

  const progress = () => section("Progress", bot.ranks.length < 2 ? [] : [
    ...(bot.ranks.filter((rank) => rank !== null).length > 1
      ? [lead(`Its rank among ${data.ranked} after each round, the first at the top.`), chart(bot.ranks, data.ranked)]
      : []),
    element("details", {}, [element("summary", {}, ["As a table"]), table("Progress by round",
      [{ label: "Round", kind: "number" }, { label: "Rank", kind: "number" }, { label: "Gain/deal", kind: "number" }],
      bot.ranks.map((rank, round) => [
        { content: [String(round + 1)] }, { content: [rank === null ? "–" : String(rank)] }, { content: [gainText(bot.gains[round])] },
      ]))]),
  ]);

  const versions = () => section("Versions", !bot.versions.length ? [] : [table("Versions of this bot, in the order in which they played",
    [{ label: "Version" }, { label: "Rank", kind: "number" }, { label: "Gain/deal", kind: "number" }, { label: "95 % interval", kind: "number" }, { label: "Matches", kind: "number" }],
    bot.versions.map((which) => {
      const { row: one, called, state } = data.bots[which];
      return [
        { content: [which === at ? element("b", {}, [called]) : link(which)] },
        { content: [one.rank === null ? state : String(one.rank)] },
        { content: [gainText(one.gain)] },
        { content: [one.low === null ? "–" : `${gainText(one.low)} … ${gainText(one.high)}`] },
        { content: [String(one.matches)] },
      ];
    }))]);

  const byOpponent = () => {
    const most = Math.max(...bot.against.map(([, , , , gain]) => Math.abs(gain ?? 0)), 0.01);
    return section("By opponent", !bot.against.length ? [] : [
      lead("How often it placed ahead of, level with and behind each opponent, and how much more it gained per deal at the same table."),
      table("Results by opponent",
        [{ label: "Bot", sort: "text" }, { label: "Results", sort: "number", kind: "number" }, { label: "", kind: "bar" }, { label: "Gain over it", sort: "number", kind: "number" }],
        bot.against.map(([other, ahead, level, behind, gain]) => [
          { content: [link(other)] },
          { content: [`${ahead}–${level}–${behind}`], value: ahead - behind },
          { content: gain === null ? [] : [bar(-most, most, gain, 0)] },
          { content: [gainText(gain)], value: gain ?? -99999 },
        ]), "opponents"),
    ]);
  };

  const bySeat = () => {
    const ends = bot.seats.flatMap(([, , gain, error]) => (gain === null ? [] : [Math.abs(gain) + 2 * (error ?? 0)]));
    const most = Math.max(...ends, 0.01);
    return section("By seat", !bot.seats.length ? [] : [
      lead("Its gain per deal above the table in each seat. The bar extends two standard errors over the rounds to each side; without a standard error, it is a line from zero."),
      table("Results by seat",
        [{ label: "Seat", kind: "number" }, { label: "Matches", kind: "number" }, { label: "", kind: "bar" }, { label: "Gain/deal", kind: "number" }],
        bot.seats.map(([seat, matches, gain, error]) => [
          { content: [String(seat)] },
          { content: [String(matches)] },
          { content: gain === null ? [] : [bar(-most, most, gain, error)] },
          { content: [gainText(gain)] },
        ])),
    ]);
  };

  const time = () => section("Time", !bot.time ? [] : [
    lead(`In milliseconds; a decision may take ${data.decision_ms}.`),
    figures([
      ["Decisions", String(bot.time.decisions), ""],
      ["Start-up", bot.time.start.toFixed(0), "median"],
      ["A decision", bot.time.median.toFixed(2), "median"],
      ["99 % within", bot.time.most.toFixed(2), ""],
      ["Longest", bot.time.longest.toFixed(2), ""],
      ["A match", bot.time.match.toFixed(1), "mean"],
    ]),
  ]);

  const raw = mine.flatMap(({ match, seat }) => match[2][seat][3] ?? []);
  const asPlayed = raw.length ? `Its gains are those above the mean of the table: ${gainText(raw.reduce((sum, gain) => sum + gain, 0) / raw.length)} per deal on average over its matches, or ${gainText(row.gain)} adjusted for opponents.` : "";
  const matches = () => section("Matches", !mine.length ? [] : [...(asPlayed ? [lead(asPlayed)] : []), table("Its matches, in the order of the rounds",
    [{ label: "Match", sort: "text" }, { label: "Seat", sort: "number", kind: "number" }, { label: "Place", sort: "number", kind: "number" }, { label: `${data.counts.charAt(0).toUpperCase()}${data.counts.slice(1)}`, sort: "number", kind: "number" }, { label: "Gain/deal", sort: "number", kind: "number" }, { label: "Against" }],
    mine.map(({ match: [matchId, replay, seats], seat }) => {
      const [, placing, points, gain, forfeit] = seats[seat];
      return [
        { content: [matchLink(matchId, replay)], value: matchId },
        { content: [String(seat)] },
        { content: [`${placing} of ${seats.length}`], value: placing, kind: placing === 1 ? "first" : "" },
        { content: [minus(points)], value: points },
        { content: [gainText(gain)], value: gain ?? -99999 },
        { content: [...(forfeit ? [element("i", { class: "bad" }, [`forfeit: ${forfeit}`]), " · "] : []), ...commas(others(seats))], kind: "against" },
      ];
    }), "matches")]);

  const neighbours = () => {
    const [before, after] = [data.bots[at - 1], data.bots[at + 1]];
    return element("nav", { "aria-label": "Bots next to this one in the standings" }, [
      ...(before ? [element("span", {}, ["↑ ", link(at - 1)])] : []),
      ...(after ? [element("span", {}, ["↓ ", link(at + 1)])] : []),
      element("a", { href: "#standings" }, ["All standings"]),
    ]);
  };

  const beside = element("div", { class: "beside" }, [
    element("div", {}, byOpponent()),
    element("div", {}, [...bySeat(), ...time()]),
  ]);
  return [top(), ...faults(), ...bestAndWorst(), ...progress(), ...versions(), beside, ...matches(), neighbours()];
}

/**
 * A section, or nothing where it would be empty.
 * @param {string} title
 * @param {Content[]} content
 */
function section(title, content) {
  return content.length ? [element("section", {}, [element("h2", {}, [title]), ...content])] : [];
}

/** @param {string} text */
function lead(text) {
  return element("p", { class: "lead" }, [text]);
}

/**
 * Names and figures, each with a remark.
 * @param {[string, string, string][]} rows
 */
function figures(rows) {
  return element("dl", { class: "figures" }, rows.map(([name, figure, remark]) => element("div", {}, [
    element("dt", {}, [name]),
    element("dd", {}, [figure]),
    ...(remark ? [element("dd", { class: "soft" }, [remark])] : []),
  ])));
}

/** @param {Node[]} nodes */
function commas(nodes) {
  return nodes.flatMap((node, at) => (at ? [", ", node] : [node]));
}

/**
 * @param {string} caption
 * @param {Column[]} columns
 * @param {Cell[][]} rows the first cell of each names it
 * @param {string} [kind]
 */
function table(caption, columns, rows, kind = "") {
  const head = columns.map(({ label, sort, kind: of = "" }) => element(
    label ? "th" : "td",
    { class: of, ...(label && { scope: "col" }), ...(sort && { "data-sort": sort }) },
    [label],
  ));
  const body = rows.map((cells) => element("tr", {}, cells.map(({ content, value, kind: of = "" }, at) => element(
    at ? "td" : "th",
    { class: `${columns[at].kind ?? ""} ${of}`.trim(), ...(at ? { "data-label": columns[at].label } : { scope: "row" }), ...(value !== undefined && { "data-value": String(value) }) },
    content,
  ))));
  const made = element("table", { class: `compact ${kind}`.trim() }, [
    element("caption", { class: "unseen" }, [caption]),
    element("thead", {}, [element("tr", {}, head)]),
    element("tbody", {}, body),
  ]);
  makeSortable(/** @type {HTMLTableElement} */ (made));
  const box = element("div", { class: "wide" }, [made]);
  if (kind === "matches") fold(/** @type {HTMLTableElement} */ (made));
  watchEdges(box);
  return box;
}

/**
 * A value on an axis, from 0 to it or with an error to both sides. The number stands beside it.
 * @param {number} low
 * @param {number} high
 * @param {number} value
 * @param {number | null} error
 */
function bar(low, high, value, error) {
  /** @param {number} at */
  const place = (at) => (100 * (at - low)) / (high - low);
  const [from, to] = error ? [value - 2 * error, value + 2 * error] : [Math.min(value, 0), Math.max(value, 0)];
  const drawn = svg("svg", { "aria-hidden": "true" });
  const zero = `${place(0)}%`;
  drawn.append(
    svg("line", { class: "zero", x1: zero, x2: zero, y1: "0", y2: "100%" }),
    svg("rect", { class: "interval", x: `${place(from)}%`, width: `${place(to) - place(from)}%`, y: "25%", height: "50%", rx: "3" }),
    svg("line", { class: "point", x1: `${place(value)}%`, x2: `${place(value)}%`, y1: "10%", y2: "90%" }),
  );
  return drawn;
}

/**
 * The ranks after each round as a line, 1 at the top.
 * @param {(number | null)[]} ranks
 * @param {number} ranked
 */
function chart(ranks, ranked) {
  const [height, edge] = [150, 26];
  const points = ranks.flatMap((rank, round) => (rank === null ? [] : [{ rank, round }]));
  /** @param {{round: number}} point */
  const x = ({ round }) => `${(4 + (92 * round) / (ranks.length - 1)).toFixed(2)}%`;
  /** @param {{rank: number}} point */
  const y = ({ rank }) => (edge + ((height - 2 * edge) * (rank - 1)) / Math.max(ranked - 1, 1)).toFixed(1);
  const words = points.map(({ rank, round }) => `round ${round + 1}: ${rank}`).join(", ");
  const drawn = svg("svg", { class: "rank-line", role: "img", "aria-label": `Rank after each round, of ${ranked}: ${words}`, height: String(height) });
  points.slice(1).forEach((point, at) => {
    drawn.append(svg("line", { x1: x(points[at]), y1: y(points[at]), x2: x(point), y2: y(point) }));
  });
  points.forEach((point, at) => {
    drawn.append(svg("circle", { cx: x(point), cy: y(point), r: "4" }));
    if (ranks.length <= MANY_ROUNDS || !at || at === points.length - 1) {
      drawn.append(svg("text", { x: x(point), y: String(Number(y(point)) - 9) }, String(point.rank)));
    }
  });
  ranks.forEach((_, round) => {
    if (ranks.length <= MANY_ROUNDS || !round || round === ranks.length - 1) {
      drawn.append(svg("text", { class: "round", x: x({ round }), y: String(height - 4) }, String(round + 1)));
    }
  });
  return drawn;
}

/** Shows what the address asks for, a bot, the report or the evidence of a fault, and goes back to where the reader was. */
function followAddress() {
  const page = byId("bot");
  const report = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".report > .skip, .report > .top, .report > main:not(#bot)"))];
  const title = document.title;
  /** @type {Bots | null} */
  let data = null;
  /** @type {{hash: string, link: HTMLElement | SVGElement, top: number} | null} */
  let left = null;

  const show = () => {
    const name = askedBot(location.hash);
    const inReport = page.hidden;
    if (name !== null && inReport) {
      const link = /** @type {HTMLElement | SVGElement} */ (document.activeElement ?? document.body);
      left = { hash: before, link, top: link.getBoundingClientRect().top };
    }
    before = location.hash;
    page.hidden = name === null;
    for (const part of report) part.hidden = name !== null;
    const asked = document.getElementById(location.hash.slice(1));
    const fault = faultOf(asked);
    if (fault) {
      // Opening the evidence moves the place to which a browser would scroll.
      fault.querySelector("details")?.setAttribute("open", "");
      history.scrollRestoration = "manual";
    }
    if (name !== null) {
      data ??= /** @type {Bots} */ (JSON.parse(byId("bots").textContent ?? ""));
      const at = data.bots.findIndex((bot) => bot.name === name);
      page.replaceChildren(...(at < 0 ? unknown(name) : botPage(data, at)));
      document.title = `${at < 0 ? name : data.bots[at].called} · ${title}`;
      scrollTo({ top: history.state?.top ?? 0, behavior: "instant" });
      byId("bot-name").focus({ preventScroll: true });
      return;
    }
    page.replaceChildren();
    document.title = title;
    if (!inReport && left && left.hash === location.hash) {
      left.link.focus({ preventScroll: true });
      scrollBy({ top: left.link.getBoundingClientRect().top - left.top, behavior: "instant" });
    } else if (!inReport || fault) {
      asked?.scrollIntoView({ behavior: "instant" });
    }
  };
  let before = askedBot(location.hash) === null ? location.hash : "";
  window.addEventListener("hashchange", show);
  // So that Back finds the page of a bot again.
  page.addEventListener("click", () => history.replaceState({ top: scrollY }, ""), { capture: true });
  show();
  // Again when all rows have been read.
  window.addEventListener("load", () => faultOf(document.getElementById(location.hash.slice(1)))?.scrollIntoView({ behavior: "instant" }));
}

/** @param {Element | null} asked what the address names */
function faultOf(asked) {
  return asked?.closest("#faults tr");
}

/** @param {string} name */
function unknown(name) {
  return [
    element("h1", { id: "bot-name", tabindex: "-1" }, ["No such bot"]),
    element("p", {}, [`No bot here is called “${name}”. `, element("a", { href: "#standings" }, ["The standings"]), " list all names."]),
  ];
}

if (typeof document !== "undefined") followAddress();
