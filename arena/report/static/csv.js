// A button below each table that saves it as CSV. It uses only what the page contains, and sends no request.

/** The beginnings that make a spreadsheet evaluate a text, as in arena/director/row_lines.py. */
const BEGINNINGS = /^[\p{Cf}\p{Z}\p{Cc}]*[=+\-@＝＋－＠﹦﹢﹣﹫−]|^['\t\r\n]/u;
const NUMBER = /^[+-]?\d+(\.\d+)?$/;
const INTERVAL = /^([+−-]?[\d.]+) … ([+−-]?[\d.]+)$/;

/**
 * One line of CSV. A text that a spreadsheet would compute gets a ' before it; numbers stay as they are.
 * @param {string[]} cells
 */
function csvLine(cells) {
  const written = cells.map((cell) => {
    const safe = !NUMBER.test(cell) && BEGINNINGS.test(cell) ? `'${cell}` : cell;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  });
  return `${written.join(",")}\n`;
}

/**
 * What a cell says: in a column that is sorted by numbers the number itself, which may be longer than what is shown.
 * @param {HTMLTableCellElement} cell
 * @param {Element} head
 */
function cellText(cell, head) {
  // A name without the remark beside it.
  const said = cell.scope === "row" ? [...cell.childNodes].filter((part) => !(/** @type {Element} */ (part).matches?.(".soft"))) : [cell];
  const text = said.map((part) => part.textContent).join("").replace(/\s+/g, " ").trim();
  const exact = cell.classList.contains("pair") || (head.getAttribute("data-sort") === "number" && !head.hasAttribute("data-as-text"));
  if (text === "–") return "";
  const plain = text.replace(/^−/, "-");
  return (exact && cell.dataset.value) || (NUMBER.test(plain) ? plain : text);
}

/** @param {HTMLTableElement} table */
function tableAsCsv(table) {
  const heads = [...table.querySelectorAll("thead tr > *")];
  // A column without a heading holds a drawing; in a matrix the first one holds the names.
  const kept = [...heads.keys()].filter((at) => heads[at].localName === "th" || (at === 0 && table.matches(".matrix")));
  const rows = [...table.tBodies[0].rows].map((row) => kept.map((at) => cellText(row.cells[at], heads[at])));
  return withEnds([kept.map((at) => (heads[at].textContent ?? "").trim()), ...rows]).map(csvLine).join("");
}

/**
 * The lines with two columns of numbers in the place of one of intervals.
 * @param {string[][]} lines the first has the headings
 */
function withEnds(lines) {
  const [heads, ...rows] = lines;
  const intervals = new Set([...heads.keys()].filter((at) => rows.some((row) => INTERVAL.test(row[at]))));
  const spread = (/** @type {string[]} */ cells, /** @type {(cell: string) => string[]} */ ends) =>
    cells.flatMap((cell, at) => (intervals.has(at) ? ends(cell) : [cell]));
  return [
    spread(heads, (head) => [`${head}, from`, `${head}, to`]),
    ...rows.map((row) => spread(row, (cell) => cell.match(INTERVAL)?.slice(1).map((end) => end.replace("−", "-")) ?? ["", ""])),
  ];
}

/** @param {HTMLTableElement} table */
function addDownload(table) {
  const name = table.caption?.textContent ?? "table";
  const button = document.createElement("button");
  button.type = "button";
  button.className = "csv";
  button.textContent = "CSV";
  button.setAttribute("aria-label", `Save as CSV: ${name}`);
  button.addEventListener("click", () => {
    const link = document.createElement("a");
    // The byte order mark makes spreadsheets read the file as UTF-8.
    link.href = URL.createObjectURL(new Blob(["\ufeff", tableAsCsv(table)], { type: "text/csv" }));
    link.download = `${name.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  (table.closest(".wide") ?? table).after(button);
}

if (typeof document !== "undefined") {
  document.querySelectorAll("table:has(caption)").forEach((table) => addDownload(/** @type {HTMLTableElement} */ (table)));
}
