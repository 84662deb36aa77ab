// Sorts and filters tables, and folds long ones on a phone. All rows are in the page; this only moves and hides them.

/** The rows of a folded table, and of one whose rows are high, that a phone shows; report.css has the same numbers. */
const FOLDED_ROWS = 10;
const FOLDED_HIGH_ROWS = 6;

/**
 * The key by which a cell is sorted: a number or a text, as its column says.
 * @param {Element} row
 * @param {number} column
 * @param {string} kind
 * @returns {number | string}
 */
function sortKey(row, column, kind) {
  const cell = row.children[column];
  const value = cell.getAttribute("data-value") ?? cell.textContent ?? "";
  return kind === "number" ? Number.parseFloat(value.replace("−", "-")) || 0 : value.trim().toLowerCase();
}

/**
 * The stable order of rows by their keys.
 * @param {(number | string)[]} keys
 * @param {boolean} descending
 * @returns {number[]} the numbers of the rows
 */
function sorted(keys, descending) {
  const collator = new Intl.Collator("en", { numeric: true });
  const way = descending ? -1 : 1;
  return keys
    .map((_, at) => at)
    .sort((one, other) => {
      const [a, b] = [keys[one], keys[other]];
      const difference = typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));
      return way * difference || one - other;
    });
}

/**
 * Whether a row holds every word, in any order.
 * @param {string} text
 * @param {string} words
 */
function wanted(text, words) {
  const lower = text.toLowerCase();
  return words.toLowerCase().split(/\s+/).every((word) => lower.includes(word));
}

/** @param {HTMLTableElement} table */
function makeSortable(table) {
  const heads = [...table.querySelectorAll("thead tr > *")];
  heads.forEach((head, column) => {
    const kind = head.getAttribute("data-sort");
    if (!kind) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const descending = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const body = table.tBodies[0];
      const rows = [...body.rows];
      const order = sorted(rows.map((row) => sortKey(row, column, kind)), descending);
      body.append(...order.map((at) => rows[at]));
    });
  });
}

/** @param {HTMLInputElement} input */
function makeFilter(input) {
  const table = /** @type {HTMLTableElement} */ (document.getElementById(input.getAttribute("data-filters") ?? ""));
  const rows = [...table.tBodies[0].rows];
  const texts = rows.map((row) => row.textContent ?? "");
  input.addEventListener("input", () => {
    unfold(table);
    let left = 0;
    rows.forEach((row, at) => {
      row.hidden = !wanted(texts[at], input.value.trim());
      left += Number(!row.hidden);
    });
    const told = /** @type {HTMLElement} */ (input.parentElement?.querySelector("output"));
    told.textContent = input.value.trim() ? `${left} of ${rows.length}` : "";
  });
}

/**
 * On a phone, where a row is a card, shows the first rows of a long table and a button for the others.
 * @param {HTMLTableElement} table
 */
function fold(table) {
  const { length } = table.tBodies[0].rows;
  if (length <= (table.matches(".draws") ? FOLDED_HIGH_ROWS : FOLDED_ROWS)) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "others";
  button.textContent = `Show all ${length}`;
  button.addEventListener("click", () => unfold(table));
  table.classList.add("folded");
  table.after(button);
}

/** @param {HTMLTableElement} table */
function unfold(table) {
  table.classList.remove("folded");
}

/**
 * Gives every cell the heading of its column, which a phone shows beside it.
 * @param {HTMLTableElement} table
 */
function labelCells(table) {
  const heads = [...table.querySelectorAll("thead tr > *")].map((head) => head.textContent ?? "");
  for (const row of table.tBodies[0].rows) {
    [...row.cells].forEach((cell, column) => {
      const tells = cell.localName === "td" ? !cell.querySelector("svg") : cell.classList.contains("number");
      if (tells && heads[column]) cell.dataset.label = heads[column];
    });
  }
}

/**
 * Notes at which edges something goes on, for a sign there, and lets the keyboard scroll it.
 * @param {HTMLElement} box
 */
function watchEdges(box) {
  const look = () => {
    const left = box.scrollLeft > 1;
    const right = box.scrollLeft + box.clientWidth < box.scrollWidth - 1;
    const below = box.scrollTop + box.clientHeight < box.scrollHeight - 1;
    const beyond = [left && "left", right && "right", below && "below"].filter(Boolean).join(" ");
    if (beyond) box.dataset.beyond = beyond;
    else delete box.dataset.beyond;
    if (beyond && box.localName === "div") box.tabIndex = 0;
  };
  box.addEventListener("scroll", look, { passive: true });
  const sizes = new ResizeObserver(look);
  // What is inside may grow while the box does not.
  for (const one of [box, ...box.children]) sizes.observe(one);
}

if (typeof document !== "undefined") {
  document.querySelectorAll("table.cards").forEach((any) => {
    const table = /** @type {HTMLTableElement} */ (any);
    labelCells(table);
    fold(table);
  });
  document.querySelectorAll(".wide, nav").forEach((box) => watchEdges(/** @type {HTMLElement} */ (box)));
  document.querySelectorAll("table.sortable").forEach((table) => makeSortable(/** @type {HTMLTableElement} */ (table)));
  window.addEventListener("beforeprint", () => {
    document.querySelectorAll(":is(#pairings, #run, #rules) details").forEach((folded) => folded.setAttribute("open", ""));
  });
  document.querySelectorAll("[data-filters]").forEach((input) => makeFilter(/** @type {HTMLInputElement} */ (input)));
}
