// mybot: a bot that thinks. In Sticheln it imagines the cards that it cannot see, plays each of its own
// out against them, and plays the one that did best. In other games it plays its lowest legal card.
//
// To use it, let bot.toml name thinking.js in place of bot.js.

"use strict";

const DEALS = 200; // deals imagined for a decision, at most
const SHARE = 0.25; // of the time for a decision; the rest is a reserve

// ---- your idea -------------------------------------------------------------------------------------

// Return one of request.legal. SPEC.md describes hello, request and its view.
function choose(hello, request) {
  if (hello.game === "sticheln" && request.decision === "play") return bestInPlayouts(hello, request);
  return request.legal.reduce((lowest, action) => (value(action) < value(lowest) ? action : lowest));
}

// All cards are played out in the same imagined deals, so that luck does not choose between them.
function bestInPlayouts(hello, { ms, legal, view }) {
  const until = performance.now() + SHARE * Math.min(ms, hello.limits.decision_ms);
  const hidden = hiddenCards(hello.deck, view);
  const own = [...legal];
  const total = new Map(legal.map((card) => [card, 0]));
  for (let deal = 0; deal < DEALS && performance.now() < until; deal++) {
    shuffle(hidden);
    shuffle(own);
    for (const card of legal) total.set(card, total.get(card) + gain(view, card, own, hidden));
  }
  return legal.reduce((best, card) => (total.get(card) > total.get(best) ? card : best));
}

// The cards of the other seats: those of the deck that are neither mine nor played.
function hiddenCards(deck, view) {
  const seen = new Set([view.hand, view.pain, view.trick, ...view.tricks.map((trick) => trick.cards)].flat());
  return deck.filter((card) => !seen.has(card));
}

// My points in the rest of the deal, less the mean of all seats, if I play `card` and then the others of `own`,
// and the other seats play `hidden`, all in the order in which the cards lie. That order is random, so all play at
// random.
function gain({ seats, seat, leader, trick, pain }, card, own, hidden) {
  const mine = [card, ...own.filter((other) => other !== card)].values();
  const theirs = hidden.values();
  const points = new Array(seats).fill(0);
  for (let tricks = own.length; tricks > 0; tricks--) {
    const played = tricks === own.length ? [...trick] : [];
    while (played.length < seats) {
      const hand = (leader + played.length) % seats === seat ? mine : theirs;
      played.push(hand.next().value);
    }
    const at = taking(played);
    if (at >= 0) {
      leader = (leader + at) % seats;
      for (const taken of played) points[leader] += taken[0] === pain[leader][0] ? -value(taken) : 1;
    }
  }
  return points[seat] - points.reduce((sum, some) => sum + some) / seats;
}

// The position of the card that takes a trick, -1 if none does: the highest not of the led suit, else the
// highest; zeros never do.
function taking(trick) {
  let best = -1;
  let bestPower = 0;
  trick.forEach((card, at) => {
    const power = value(card) && value(card) + (card[0] === trick[0][0] ? 0 : 100);
    if (power > bestPower) [best, bestPower] = [at, power];
  });
  return best;
}

// The number of a card: 7 for G7. Words such as "chip" come last.
function value(action) {
  return /\d$/.test(action) ? Number(action.slice(1)) : 99;
}

// ---- chance: the minimal standard generator of Park and Miller, which begins with the seed of `hello` --------

let chance = 1;

function below(limit) {
  chance = (chance * 48271) % 2147483647;
  return chance % limit;
}

function shuffle(items) {
  for (let i = items.length - 1; i > 0; i--) {
    const j = below(i + 1);
    [items[i], items[j]] = [items[j], items[i]];
  }
}

// ---- the wire: a line in, a line out -----------------------------------------------------------------

// To debug, use console.error: standard output belongs to the referee.
const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");
let hello;

require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    if (message.type === "hello") {
      hello = message;
      chance = (hello.seed % 2147483646) + 1; // never 0, which would stay 0
      say({ type: "ready", name: "mybot", language: "JavaScript" });
    } else if (message.type === "request") {
      say({ type: "reply", id: message.id, action: choose(hello, message) });
    }
  });
