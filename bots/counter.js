// Counter: knows which cards are gone, and so how likely it is to be beaten or hurt.
//
// The lesson: counting needs no memory either. `hello` names the whole deck, every view shows all cards that
// were played in this deal; what stands in neither is in the other hands.
//
// Sticheln: a trick is worth taking when few unseen cards beat mine, and when little of my own pain colour is
// left for the seats that play after me. Once that colour is gone, every further card is a point.

"use strict";

const suit = (card) => card[0];
const value = (card) => Number(card.slice(1));
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

// What each card is worth to a seat with this pain colour.
const worthTo = (colour) => (card) => (suit(card) === colour ? -value(card) : 1);

// Rises with a card's power to take a trick in which `led` is the led suit; zeros have none.
const power = (card, led) => (value(card) === 0 ? 0 : value(card) + (suit(card) === led ? 0 : 100));

function unseen(deck, view) {
  const seen = new Set([view.hand, view.pain, view.trick, ...view.tricks.map((trick) => trick.cards)].flat());
  return deck.filter((card) => !seen.has(card));
}

function choosePain(deck, view, legal) {
  const cost = (card) => value(card) + Math.abs(legal.filter((other) => suit(other) === suit(card)).length - 5);
  return [best(legal, (card) => -cost(card)), "low, and of middle length"];
}

function playCard(deck, view, legal) {
  const own = suit(view.pain[view.seat]);
  const hidden = unseen(deck, view);
  const painful = hidden.filter((card) => suit(card) === own);
  // How likely a seat holds none of my pain colour, and what it adds on average to a trick that I take.
  const spared = (1 - painful.length / Math.max(hidden.length, 1)) ** view.hand.length;
  const added = spared - (1 - spared) * 0.5 * (sum(painful.map(value)) / Math.max(painful.length, 1));

  const worth = (card) => {
    const trick = [...view.trick, card];
    const led = suit(trick[0]);
    const stillToPlay = view.seats - trick.length;
    const top = best(trick, (other) => power(other, led));
    const taker = (view.leader + trick.indexOf(top)) % view.seats;
    const beating = hidden.filter((other) => power(other, led) > power(top, led)).length;
    const holds = (1 - beating / Math.max(hidden.length, 1)) ** stillToPlay;
    const pile = sum(trick.map(worthTo(suit(view.pain[taker]))));
    if (taker === view.seat) return holds * (pile + added * stillToPlay);
    const relief = suit(card) === own ? 0.15 * value(card) : -0.03 * value(card); // other high cards: for later
    return (-0.7 * holds * pile) / (view.seats - 1) + relief;
  };
  return [best(legal, worth), `${painful.length} cards of my pain colour are out`];
}

// The item with the greatest worth, the first of equals.
function best(items, worth) {
  const worths = items.map(worth);
  return items[worths.indexOf(Math.max(...worths))];
}

const sticheln = { pain: choosePain, play: playCard };
const ideas = { sticheln, "sticheln-1993": sticheln }; // game -> decision -> idea
const noIdea = (deck, view, legal) => [legal[0], "a game I do not know"];

const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");
let hello;

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    hello = message;
    say({ type: "ready", name: "counter", version: "1", language: "JavaScript" });
  } else if (message.type === "request") {
    const idea = ideas[hello.game]?.[message.decision] ?? noIdea;
    const [action, note] = idea(hello.deck, message.view, message.legal);
    say({ type: "reply", id: message.id, action, note });
  }
});
