// The scenes of a replay: what each seat knows in each, and navigation between them. Pure functions: knows no page and
// no rules.

/**
 * @typedef {{seat: number, decision: string, legal?: string[] | null}} Due
 * @typedef {{seat: number, action: string, us?: number, note?: string, by_substitute?: boolean}} Decided
 * @typedef {{seat: number, kind: string, meaning: string, detail: string, forfeits: boolean, us?: number,
 *   reply?: string, stderr?: string}} Fault
 * @typedef {{deal: number, trick: number, put?: Record<string, any>, add?: Record<string, any[]>,
 *   own?: Record<string, Record<string, any>>, due?: Due[], decided?: Decided[], sentences?: string[],
 *   faults?: Fault[]}} Change  A scene as its difference from the one before; see replay.py.
 * @typedef {{deal: number, trick: number, step: number, table: Record<string, any>,
 *   own: (Record<string, any> | null)[], due: Due[], decided: Decided[], sentences: string[], faults: Fault[],
 *   spent: number[], forfeited: boolean[]}} Scene  `table` is what all know, `own` by seat what only that seat
 *   knows; `step` counts from 1 in its trick, or in its deal outside of tricks; `spent` microseconds by seat.
 */

/**
 * All scenes, from their differences.
 * @param {Change[]} changes
 * @param {number} seats
 * @returns {Scene[]}
 */
function unfolded(changes, seats) {
  /** @type {Scene[]} */
  const scenes = [];
  /** @type {Scene | null} */
  let before = null;
  for (const change of changes) {
    /** @type {Record<string, any>} */
    const table = { ...(before ? before.table : {}), ...(change.put ?? {}) };
    for (const [name, tail] of Object.entries(change.add ?? {})) table[name] = [...table[name], ...tail];
    const own = before ? [...before.own] : Array(seats).fill(null);
    for (const [seat, what] of Object.entries(change.own ?? {})) own[Number(seat)] = what;
    const spent = before ? [...before.spent] : Array(seats).fill(0);
    for (const one of change.decided ?? []) spent[one.seat] += one.us ?? 0;
    const forfeited = before ? [...before.forfeited] : Array(seats).fill(false);
    for (const fault of change.faults ?? []) forfeited[fault.seat] ||= fault.forfeits;
    const goesOn = before && before.deal === change.deal && before.trick === change.trick;
    /** @type {Scene} */
    const scene = {
      deal: change.deal,
      trick: change.trick,
      step: before && goesOn ? before.step + 1 : 1,
      table,
      own,
      due: change.due ?? [],
      decided: change.decided ?? [],
      sentences: change.sentences ?? [],
      faults: change.faults ?? [],
      spent,
      forfeited,
    };
    scenes.push(scene);
    before = scene;
  }
  return scenes;
}

/**
 * The scene as a seat saw it, without what the seat did not know; the whole scene for null.
 * @param {Scene} scene
 * @param {number | null} seat
 * @returns {Scene}
 */
function seenBy(scene, seat) {
  if (seat === null) return scene;
  /** @param {{seat: number}} one */
  const itself = (one) => one.seat === seat;
  return {
    ...scene,
    own: scene.own.map((what, at) => (at === seat ? what : null)),
    due: scene.due.map((due) => (itself(due) ? due : { seat: due.seat, decision: due.decision })),
    decided: scene.decided.filter(itself),
    faults: scene.faults.filter(itself),
    spent: scene.spent.map((us, at) => (at === seat ? us : 0)),
    forfeited: scene.forfeited.map((gone, at) => gone && at === seat),
  };
}

/**
 * The hands of a scene, as far as they are known there.
 * @param {Scene} scene
 * @returns {(string[] | null)[]} by seat its cards, null where they lie face down
 */
function handsIn(scene) {
  return scene.own.map((what, seat) => what?.hand ?? scene.table.shown?.[seat] ?? null);
}

/**
 * The address of a scene within its page.
 * @param {Scene} scene
 */
function addressOf(scene) {
  const parts = [`deal=${scene.deal}`];
  if (scene.trick) parts.push(`trick=${scene.trick}`);
  if (scene.step > 1) parts.push(`step=${scene.step}`);
  return `#${parts.join("&")}`;
}

/**
 * The number of the scene that an address names, or the nearest before it; the first if it names none.
 * @param {Scene[]} scenes
 * @param {string} address
 */
function sceneAt(scenes, address) {
  const named = new URLSearchParams(address.replace(/^#/, ""));
  /** @param {string} name @param {number} otherwise */
  const number = (name, otherwise) => {
    const text = named.get(name);
    return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : otherwise;
  };
  const wanted = [number("deal", 1), number("trick", 0), number("step", 1)];
  let found = 0;
  scenes.forEach((scene, at) => {
    const place = [scene.deal, scene.trick, scene.step];
    const differing = place.findIndex((part, index) => part !== wanted[index]);
    if (differing < 0 || place[differing] < wanted[differing]) found = at;
  });
  return found;
}

/**
 * The first scene of the deal or trick after or before the one of scene `at`; its own first scene when going
 * back from within it.
 * @param {Scene[]} scenes
 * @param {number} at
 * @param {"deal" | "trick"} what
 * @param {1 | -1} way
 */
function jumped(scenes, at, what, way) {
  /** @param {number} index */
  const begins = (index) =>
    index === 0 ||
    scenes[index].deal !== scenes[index - 1].deal ||
    (what === "trick" && scenes[index].trick !== scenes[index - 1].trick);
  let index = at + way;
  while (index > 0 && index < scenes.length - 1 && !begins(index)) index += way;
  return Math.max(0, Math.min(index, scenes.length - 1));
}

/**
 * The points at the start and after each finished deal: a row for each, with a number for each seat.
 * @param {Scene[]} scenes
 * @param {number} at
 * @returns {number[][]}
 */
function growth(scenes, at) {
  /** @type {number[][]} */
  const rows = [];
  for (const scene of scenes.slice(0, at + 1)) {
    const points = scene.table.points ?? [];
    const last = rows[rows.length - 1];
    const ended = scene.due.length === 0 && scene.sentences.length > 0;
    if (!last || ended) rows.push(points);
  }
  return rows;
}

/**
 * The story of the deal of scene `at` so far: a line for each trick, or for each scene in games without tricks.
 * @param {Scene[]} scenes
 * @param {number} at
 * @returns {{at: number, text: string, trick: number}[]} `at` is the scene in which a line ends
 */
function story(scenes, at) {
  /** @type {{at: number, text: string, trick: number}[]} */
  const lines = [];
  for (let index = 0; index <= at; index += 1) {
    const scene = scenes[index];
    if (scene.deal !== scenes[at].deal || !scene.sentences.length) continue;
    const last = lines[lines.length - 1];
    const text = scene.sentences.join(" · ");
    if (last && scene.trick && last.trick === scene.trick) {
      last.text += ` · ${text}`;
      last.at = index;
    } else {
      lines.push({ at: index, text, trick: scene.trick });
    }
  }
  return lines;
}
