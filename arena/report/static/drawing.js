// Draws one position: the table, the seats round it, and the cards. It draws the fields that a position has, and knows
// neither rules, nor steps, nor where a position comes from. elements.js makes the elements.

/**
 * @typedef {{names: string[], suits: Record<string, string>, counts: string, near: number, you?: number,
 *   table: Record<string, any>, hands: (string[] | null)[], due: Due[], forfeited?: boolean[],
 *   better?: {seat: number, better: string}[]}} Position  `better` are cards that a review would have played.
 *   `counts` is what points are called; `near` is the seat that is drawn nearest, and `you` that of the person who
 *   looks at it, if one plays; `hands` are by seat, null where they lie face down.
 */

const DRAWN = [
  "deal_no", "deals", "seats", "leader", "points", "deal_points", "pain", "trick", "tricks", "won", "top", "table", "phase",
  "chips", "chips_in_a_row", "sizes", "dealer", "plays", "forced_play", "ranked", "shown", "hand",
  "cells", "on_table", "lines",
];
const TRAIL = 5;

/** The shape of a suit by its name, as a path in a square of 10, for readers who cannot tell colours apart. */
const SHAPES = new Map([
  ["red", "M5 .5a4.5 4.5 0 0 1 0 9a4.5 4.5 0 0 1 0-9z"],
  ["orange", "M.2 1h9.6L5 9.6z"],
  ["yellow", "M5 0l1.5 3.4 3.5.4-2.6 2.4.8 3.6L5 8 1.8 9.8l.8-3.6L0 3.8l3.5-.4z"],
  ["green", "M5 .4l4.8 8.6H.2z"],
  ["blue", "M.8.8h8.4v8.4H.8z"],
  ["purple", "M3.3.3h3.4v3h3v3.4h-3v3H3.3v-3h-3V3.3h3z"],
  ["violet", "M.7.5h8.6L6 5l3.3 4.5H.7L4 5z"],
  ["grey", "M.2 1.2h9.6v2.6H.2zM.2 6.2h9.6v2.6H.2z"],
  ["clubs", "M5 .2a2.3 2.3 0 0 1 1.8 3.7 2.3 2.3 0 1 1-1 3.5l.8 2.4H3.4l.8-2.4a2.3 2.3 0 1 1-1-3.5A2.3 2.3 0 0 1 5 .2z"],
  ["diamonds", "M5 0l4 5-4 5-4-5z"],
  ["hearts", "M5 9.6L.9 5.2C-.6 3.4.3.8 2.6.8 3.8.8 4.6 1.5 5 2.4 5.4 1.5 6.2.8 7.4.8 9.7.8 10.6 3.4 9.1 5.2z"],
  ["spades", "M5 .2l4 4.2c1.7 1.9.2 4.3-1.7 4-.7-.1-1.2-.5-1.6-1l.9 2.4H3.4l.9-2.4c-.4.5-.9.9-1.6 1C.8 8.7-.7 6.3 1 4.4z"],
]);
const OTHER_SHAPES = [
  "M2.2 0L5 2.8 7.8 0 10 2.2 7.2 5 10 7.8 7.8 10 5 7.2 2.2 10 0 7.8 2.8 5 0 2.2z",
  "M5 0c2 3 3.6 4.6 3.6 6.4a3.6 3.6 0 0 1-7.2 0C1.4 4.6 3 3 5 0z",
  "M7 .3a4.8 4.8 0 1 0 2.7 6.4A4.6 4.6 0 0 1 7 .3z",
  "M5 0l5 4.8H7.6V10H2.4V4.8H0z",
  "M1.2.2h2.6v9.6H1.2zM6.2.2h2.6v9.6H6.2z",
  "M0 4l5-4 5 4v4.5l-5-4-5 4z",
];

/**
 * What a seat does, in words: "ada takes it", "you take it".
 * @param {Position} position
 * @param {number} seat
 * @param {string} verb as of "you"; one that takes an s
 * @param {string} [what]
 */
function does(position, seat, verb, what = "") {
  return [nameElement(position.names[seat]), ` ${verb}${seat === position.you ? "" : "s"}${what}`];
}

/**
 * The shape of a suit. No two suits of a game have the same one while there are enough of them.
 * @param {string} letter
 * @param {Record<string, string>} suits
 * @returns {string} a path
 */
function shapeOf(letter, suits) {
  const named = SHAPES.get(suits[letter]);
  if (named) return named;
  const taken = Object.values(suits).map((name) => SHAPES.get(name));
  const free = [...OTHER_SHAPES, ...SHAPES.values()].filter((shape) => !taken.includes(shape));
  const nameless = Object.keys(suits).filter((one) => !SHAPES.has(suits[one]));
  return free[nameless.indexOf(letter) % free.length];
}

/**
 * The signs of a suit besides its colour: its shape and its letter.
 * @param {string} letter
 * @param {Record<string, string>} suits
 */
function suitElement(letter, suits) {
  const shape = svg("svg", { class: "shape", viewBox: "0 0 10 10", "aria-hidden": "true" });
  shape.append(svg("path", { d: shapeOf(letter, suits) }));
  return element("span", { class: "suit" }, [shape, element("span", {}, [letter])]);
}

/**
 * A card; an action that is no card as plain text.
 * @param {string} card
 * @param {Record<string, string>} suits
 * @param {string} [size] a class: large, small
 */
function cardElement(card, suits, size = "") {
  const suit = suits[card[0]];
  if (!suit || !/^[A-Z]\d+$/.test(card)) return element("span", { class: "word" }, [card]);
  const value = card.slice(1);
  const label = `${suit} ${value}`;
  return element(
    "span",
    { class: `card ${size}`.trim(), "data-suit": suit, "data-card": card, role: "img", "aria-label": label, title: label },
    [element("span", { class: value.length > 1 ? "value wide" : "value" }, [value]), suitElement(card[0], suits)],
  );
}

/**
 * A text in which every word that is a card is drawn as one.
 * @param {string} text
 * @param {Record<string, string>} suits
 * @returns {(Node | string)[]}
 */
function withCards(text, suits) {
  return text
    .split(/\b([A-Z]\d{1,2})\b/)
    .map((part, at) => (at % 2 && suits[part[0]] ? cardElement(part, suits, "small") : part));
}

/**
 * Draw a position into `root`, replacing its content.
 * @param {Element} root
 * @param {Position} position
 */
function drawPosition(root, position) {
  const seats = position.names.length;
  /** @type {Record<string, HTMLElement>} */
  const sides = {};
  for (const side of ["far", "left", "centre", "right", "near"]) sides[side] = element("div", { class: side });
  sideOfEach(seats).forEach((side, step) => {
    sides[side].append(placeElement(position, (position.near + step) % seats));
  });
  sides.centre.append(...centreOf(position));
  root.classList.toggle("crowded", seats > 4);
  root.replaceChildren(...Object.values(sides));
}

/**
 * The side of the table for each seat, clockwise from the near one.
 * @param {number} seats
 * @returns {string[]}
 */
function sideOfEach(seats) {
  const others = seats - 1;
  const beside = seats < 4 ? 0 : seats < 7 ? 1 : 2;
  return [
    "near",
    ...Array(beside).fill("left"),
    ...Array(others - 2 * beside).fill("far"),
    ...Array(beside).fill("right"),
  ];
}

/**
 * @param {Position} position
 * @param {number} seat
 */
function placeElement(position, seat) {
  const { table, suits, counts, names } = position;
  const due = position.due.find((one) => one.seat === seat);
  const tags = [];
  if (table.points) {
    const [number, ...words] = numberOf(table.points[seat], counts).split(" ");
    tags.push(element("span", {}, [number, element("span", { class: "counts" }, [` ${words.join(" ")}`])]));
  }
  if (table.deal_points) tags.push(element("span", {}, [lesser("this "), `deal ${signed(table.deal_points[seat])}`]));
  if (due) tags.push(element("span", { class: "flag acts" }, ["to decide"]));
  if (position.forfeited?.[seat]) tags.push(element("span", { class: "flag gone" }, ["substitute plays"]));
  if (table.dealer === seat) tags.push(element("span", {}, ["dealer"]));
  if (table.pain?.length) {
    tags.push(element("span", { class: "pain" }, ["pain ", cardElement(table.pain[seat], suits, "small")]));
  }
  if (table.chips) tags.push(chipsElement(table.chips[seat]));
  for (const [heading, text] of table.cells?.[seat] ?? []) {
    if (text) tags.push(element("span", {}, [`${heading} `, ...withCards(text, suits)]));
  }
  const taken = table.cells ? [] : takenBy(table, seat);
  if (taken.length) tags.push(element("span", {}, taken));
  const head = element("h3", {}, [element("span", {}, [names[seat]]), element("span", { class: "seat lesser" }, [`seat ${seat}`])]);
  const parts = [head, element("div", { class: "tags" }, tags), handElement(position, seat, due)];
  if (table.won?.[seat]?.length) parts.push(pileElement(table.won[seat], suits));
  return element("section", { class: due ? "place due" : "place", "data-seat": String(seat) }, parts);
}

/**
 * Words for which a small screen has no room.
 * @param {string} words
 */
function lesser(words) {
  return element("span", { class: "lesser" }, [words]);
}

/**
 * The number of tricks and cards that a seat has taken, in games whose tricks have a taker.
 * @param {Record<string, any>} table
 * @param {number} seat
 * @returns {(Node | string)[]}
 */
function takenBy(table, seat) {
  const tricks = (table.tricks ?? []).filter((/** @type {any} */ trick) => trick.taker === seat);
  if (!tricks.length) return [];
  const cards = tricks.reduce((/** @type {number} */ sum, /** @type {any} */ trick) => sum + trick.cards.length, 0);
  return [`${tricks.length} ${tricks.length === 1 ? "trick" : "tricks"}`, lesser(`, ${cards} cards`)];
}

/** @param {number} count */
function chipsElement(count) {
  const chips = Array.from({ length: Math.min(count, 10) }, () => element("span", { class: "chip", "aria-hidden": "true" }));
  return element("span", { class: "chips" }, [element("span", { class: "chips" }, chips), `${count} ${count === 1 ? "chip" : "chips"}`]);
}

/**
 * @param {Position} position
 * @param {number} seat
 * @param {Due} [due]
 */
function handElement(position, seat, due) {
  const hand = position.hands[seat];
  const size = hand ? hand.length : position.table.sizes?.[seat] ?? 0;
  const whose = seat === position.you ? "your" : `${position.names[seat]}'s`;
  const label = `${whose} hand, ${size} ${size === 1 ? "card" : "cards"}${hand ? "" : ", face down"}`;
  if (!size) return element("p", { class: "hand empty" }, ["no card left"]);
  const cards = hand
    ? hand.map((card) => {
        const made = cardElement(card, position.suits);
        if (due?.legal && !due.legal.includes(card)) made.classList.add("barred");
        if (position.better?.some((mark) => mark.seat === seat && mark.better === card)) made.classList.add("better");
        return made;
      })
    : Array.from({ length: size }, () => element("span", { class: "card back", "aria-hidden": "true" }));
  const list = element(
    "ul",
    { class: hand ? "hand" : "hand backs", "aria-label": label },
    cards.map((card) => element("li", {}, [card])),
  );
  // The style sheet shares the width out among the cards.
  list.style.setProperty("--others", String(Math.max(1, cards.length - 1)));
  return list;
}

/**
 * Cards by suit: those that a seat has won, or others.
 * @param {string[]} cards
 * @param {Record<string, string>} suits
 * @param {string} [what]
 */
function pileElement(cards, suits, what = "won") {
  const groups = Object.keys(suits)
    .map((letter) => cards.filter((card) => card[0] === letter))
    .filter((group) => group.length);
  return element(
    "ul",
    { class: "pile", "aria-label": `${what}, ${cards.length} cards` },
    groups.map((group) => element("li", { class: "of-suit" }, group.map((card) => cardElement(card, suits, "small")))),
  );
}

/**
 * @param {Position} position
 * @returns {Node[]}
 */
function centreOf(position) {
  const { table, suits } = position;
  /** @type {Node[]} */
  const parts = [];
  if (table.ranked) parts.push(rankedElement(table.ranked, suits));
  if (table.plays) parts.push(sheddingElement(position));
  else if (table.trick) parts.push(...trickElements(position));
  const rest = Object.entries(table).filter(([name, value]) => !DRAWN.includes(name) && isTold(value));
  if (table.lines) {
    const told = table.trick ? table.lines : [...table.on_table, ...table.lines];
    const lines = told.map((/** @type {string} */ line) => element("p", {}, withCards(line, suits)));
    parts.push(element("div", { class: "lines" }, lines));
  } else if (rest.length) {
    const words = rest.map(([name, value]) => `${name.replaceAll("_", " ")} ${JSON.stringify(value)}`);
    parts.push(element("p", { class: "rest" }, [words.join(" · ")]));
  }
  return parts;
}

/** @param {any} value */
function isTold(value) {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/**
 * The suits from low to high.
 * @param {string} letters
 * @param {Record<string, string>} suits
 */
function rankedElement(letters, suits) {
  /** @type {(Node | string)[]} */
  const parts = [element("span", { class: "sign" }, ["low"])];
  [...letters].forEach((letter, at) => {
    if (at) parts.push(element("span", { class: "sign", "aria-label": "below" }, ["<"]));
    const swatch = cardElement(`${letter}0`, suits, "small");
    swatch.replaceChildren(suitElement(letter, suits));
    swatch.setAttribute("aria-label", suits[letter]);
    swatch.title = suits[letter];
    swatch.removeAttribute("data-card");
    parts.push(swatch);
  });
  parts.push(element("span", { class: "sign" }, ["high"]));
  return element("p", { class: "ranked" }, parts);
}

/**
 * The trick on the table: the current one, or the last one until the next is led.
 * @param {Position} position
 * @returns {Node[]}
 */
function trickElements(position) {
  const { table, names, suits, near } = position;
  const seats = names.length;
  const last = table.tricks?.[table.tricks.length - 1];
  const finished = !table.trick.length && last;
  const cards = finished ? last.cards : table.trick;
  const leader = finished ? last.leader : table.leader;
  const laid = element("div", { class: "trick" });
  if (!cards.length) {
    const waiting = position.due.length > 1 ? ["all choose in secret"] : does(position, table.leader, "lead");
    laid.append(element("p", { class: "empty" }, waiting));
  }
  cards.forEach((/** @type {string} */ card, /** @type {number} */ at) => {
    const seat = (leader + at) % seats;
    const turn = (2 * Math.PI * ((seat - near + seats) % seats)) / seats;
    const made = cardElement(card, suits, "large");
    if (finished && [last.taker, last.rest_to].includes(seat)) made.classList.add("best");
    const spot = element("div", { class: "laid" }, [made, element("span", { class: "by" }, [nameElement(names[seat]), ...(at ? [] : [" led"])])]);
    spot.style.left = `${50 - 36 * Math.sin(turn)}%`;
    spot.style.top = `${50 + 33 * Math.cos(turn)}%`;
    laid.append(spot);
  });
  /** @type {Node[]} */
  const parts = [laid];
  if (finished) parts.push(element("p", { class: "says" }, whereTo(last, position).map((line) => element("span", {}, line))));
  return parts;
}

/**
 * Who takes a trick, in lines.
 * @param {any} trick a finished one
 * @param {Position} position
 * @returns {(Node | string)[][]}
 */
function whereTo(trick, position) {
  const { names } = position;
  if (trick.high_to !== undefined) return [["highest to ", nameElement(names[trick.high_to])], ["rest to ", nameElement(names[trick.rest_to])]];
  return [trick.taker === null ? ["nobody takes it"] : does(position, trick.taker, "take", " it")];
}

/**
 * The card to beat, and the last plays that led to it.
 * @param {Position} position
 */
function sheddingElement(position) {
  const { table, names, suits } = position;
  const plays = table.plays;
  const top = plays.map((/** @type {any} */ play) => play.action).lastIndexOf(table.table);
  const trail = plays
    .filter((/** @type {any} */ _, /** @type {number} */ at) => at !== top)
    .slice(-TRAIL)
    .map((/** @type {any} */ play) => {
      const card = cardElement(play.action, suits);
      const chip = element("span", { class: "chip", role: "img", "aria-label": play.action, title: play.action });
      const shown = card.classList.contains("card") ? card : element("span", { class: "counter" }, [chip]);
      return element("li", {}, [shown, element("span", { class: "by" }, [nameElement(names[play.seat])])]);
    });
  const parts = [];
  if (table.table) {
    const chips = table.chips_in_a_row;
    const words = chips ? `, then ${chips} ${chips === 1 ? "chip" : "chips"}` : "";
    const by = top < 0 ? [] : [nameElement(names[plays[top].seat]), words];
    parts.push(element("div", { class: "on-table" }, [cardElement(table.table, suits, "large"), element("span", {}, by)]));
  } else {
    parts.push(element("p", {}, does(position, table.leader, "choose", " the colour on top")));
  }
  if (trail.length) parts.push(element("ol", { class: "trail", "aria-label": "The plays before" }, trail));
  return element("div", { class: "shedding" }, parts);
}
