// The pure part of the replay page: scenes out of changes, what a seat saw of them, and ways through them.

const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const vm = require("node:vm");

const STATIC = path.join(__dirname, "../../arena/report/static");

/** The functions of a script, as a page would have them. */
function loaded(name) {
  const context = vm.createContext({ URLSearchParams, Intl });
  vm.runInContext(readFileSync(path.join(STATIC, name), "utf8"), context);
  return context;
}

/** Values of a script belong to another realm: this makes them comparable. */
const plain = (value) => JSON.parse(JSON.stringify(value));

const knowledge = loaded("knowledge.js");
const CHANGES = [
  {
    deal: 1,
    trick: 0,
    put: { points: [0, 0], trick: [], tricks: [] },
    own: { 0: { hand: ["R1", "R2"] }, 1: { hand: ["G1", "G2"] } },
    due: [{ seat: 0, decision: "play", legal: ["R1", "R2"] }],
  },
  {
    deal: 1,
    trick: 1,
    put: { trick: ["R1"] },
    own: { 0: { hand: ["R2"] } },
    decided: [{ seat: 0, action: "R1", us: 7, note: "low" }],
    sentences: ["ada R1"],
    due: [{ seat: 1, decision: "play", legal: ["G1", "G2"] }],
  },
  {
    deal: 1,
    trick: 1,
    put: { trick: [], points: [2, -1] },
    add: { tricks: [{ leader: 0, cards: ["R1", "G1"], taker: 1 }] },
    own: { 1: { hand: ["G2"] } },
    decided: [{ seat: 1, action: "G1", us: 5 }],
    faults: [{ seat: 1, kind: "timeout", meaning: "", detail: "", forfeits: true }],
    sentences: ["bob G1", "trick 1: bob takes it"],
  },
  {
    deal: 2,
    trick: 0,
    put: { tricks: [] },
    own: { 0: { hand: ["G1"] }, 1: { hand: ["R1"] } },
    due: [{ seat: 1, decision: "play", legal: ["R1"] }],
  },
];
const scenes = knowledge.unfolded(CHANGES, 2);

test("scenes hold what was there before and what has changed", () => {
  assert.deepEqual(plain(scenes.map((scene) => scene.table.trick)), [[], ["R1"], [], []]);
  assert.deepEqual(plain(scenes[2].table.tricks), [{ leader: 0, cards: ["R1", "G1"], taker: 1 }]);
  assert.deepEqual(plain(scenes[1].own), [{ hand: ["R2"] }, { hand: ["G1", "G2"] }]);
  assert.deepEqual(plain(scenes[3].spent), [7, 5]);
  assert.deepEqual(plain(scenes[3].forfeited), [false, true]);
});

test("a seat saw its own hand, choices, faults and legal actions, and no others", () => {
  for (const [at, scene] of scenes.entries()) {
    const seen = knowledge.seenBy(scene, 0);
    assert.equal(seen.own[1], null, `scene ${at}`);
    assert.ok(seen.due.every((due) => due.seat === 0 || due.legal === undefined));
    assert.ok([...seen.decided, ...seen.faults].every((one) => one.seat === 0));
    assert.deepEqual(plain(knowledge.handsIn(seen)), [scene.own[0].hand, null]);
  }
  assert.equal(knowledge.seenBy(scenes[3], 0).spent[1], 0);
  assert.equal(knowledge.seenBy(scenes[2], null), scenes[2]);
});

test("hands that were turned over are seen by all", () => {
  const [scene] = knowledge.unfolded([{ deal: 1, trick: 0, put: { shown: [["R1"], ["G1"]] } }], 2);
  assert.deepEqual(plain(knowledge.handsIn(knowledge.seenBy(scene, 1))), [["R1"], ["G1"]]);
});

test("every scene has an address that leads back to it", () => {
  const addresses = plain(scenes.map(knowledge.addressOf));
  assert.deepEqual(addresses, ["#deal=1", "#deal=1&trick=1", "#deal=1&trick=1&step=2", "#deal=2"]);
  addresses.forEach((address, at) => assert.equal(knowledge.sceneAt(scenes, address), at));
});

test("an address that names no scene leads to one before it, or to the first", () => {
  for (const [address, at] of [["", 0], ["#", 0], ["#deal=1&trick=9", 2], ["#deal=99", 3], ["#deal=<b>", 0], ["#nothing", 0]]) {
    assert.equal(knowledge.sceneAt(scenes, address), at, address);
  }
});

test("jumps go to where deals and tricks begin, and stay within the match", () => {
  const ways = [0, 1, 2, 3].map((at) => [
    knowledge.jumped(scenes, at, "trick", -1),
    knowledge.jumped(scenes, at, "trick", 1),
    knowledge.jumped(scenes, at, "deal", -1),
    knowledge.jumped(scenes, at, "deal", 1),
  ]);
  assert.deepEqual(plain(ways), [[0, 1, 0, 3], [0, 3, 0, 3], [1, 3, 0, 3], [1, 3, 0, 3]]);
});

test("points grow deal by deal", () => {
  assert.deepEqual(plain(scenes.map((_, at) => knowledge.growth(scenes, at))), [
    [[0, 0]],
    [[0, 0]],
    [[0, 0], [2, -1]],
    [[0, 0], [2, -1]],
  ]);
});

test("the story has a line a trick, up to now", () => {
  assert.deepEqual(plain(knowledge.story(scenes, 1)), [{ at: 1, text: "ada R1", trick: 1 }]);
  assert.deepEqual(plain(knowledge.story(scenes, 2)), [
    { at: 2, text: "ada R1 · bob G1 · trick 1: bob takes it", trick: 1 },
  ]);
  assert.deepEqual(plain(knowledge.story(scenes, 3)), []);
});

test("seats sit clockwise round the table, the near one first", () => {
  const { sideOfEach } = loaded("drawing.js");
  assert.deepEqual(plain(sideOfEach(3)), ["near", "far", "far"]);
  assert.deepEqual(plain(sideOfEach(4)), ["near", "left", "far", "right"]);
  for (let seats = 3; seats <= 8; seats += 1) assert.equal(sideOfEach(seats).length, seats);
});

test("every suit has a shape of its own, whatever a game calls it", () => {
  const { shapeOf } = loaded("drawing.js");
  const games = [
    { C: "clubs", D: "diamonds", S: "spades", H: "hearts" },
    { A: "cups", B: "coins", C: "swords", D: "batons" },
    { R: "red", G: "green", A: "constructor", B: "stars", Z: "moons" },
  ];
  for (const suits of games) {
    const shapes = Object.keys(suits).map((letter) => shapeOf(letter, suits));
    assert.equal(new Set(shapes).size, shapes.length, Object.values(suits).join());
    assert.ok(shapes.every((shape) => /^M[\d\s.,a-zA-Z-]+z$/.test(shape)));
  }
  assert.equal(shapeOf("R", games[2]), shapeOf("X", { X: "red" }), "a name keeps its shape in every game");
});

test("rows are sorted by number or text, equal ones as they were", () => {
  const { sorted, wanted } = loaded("tables.js");
  assert.deepEqual(plain(sorted([2, -1, 2, 10], false)), [1, 0, 2, 3]);
  assert.deepEqual(plain(sorted([2, -1, 2, 10], true)), [3, 0, 2, 1]);
  assert.deepEqual(plain(sorted(["bot-10", "bot-9", "Bot-1"], false)), [2, 1, 0]);
  assert.ok(wanted("Round 2 ada bob", "BOB ada"));
  assert.ok(!wanted("ada", "bob"));
});
