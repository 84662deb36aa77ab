// Numbers as pages write them.

/**
 * A number, or a text with numbers, as a page shows it: with a minus sign as wide as a plus. The hyphen of a name such
 * as house-1 stays.
 * @param {number | string} value
 */
function minus(value) {
  return String(value).replace(/(?<![\p{L}\p{N}_-])-(?=\d)/gu, "−");
}

/**
 * @param {number} points
 * @param {string} counts what a game calls them
 */
function numberOf(points, counts) {
  return `${minus(points)} ${Math.abs(points) === 1 ? counts.replace(/points$/, "point") : counts}`;
}

/** @param {number} points */
function signed(points) {
  return points > 0 ? `+${points}` : minus(points);
}

/**
 * A gain as the tables have it.
 * @param {number | null} value
 */
function gainText(value) {
  if (value === null) return "–";
  const size = Math.abs(value);
  // Exact halves round to the even digit, as in the tables that Python writes.
  const digits = ((8 * size) % 2 === 1 ? (2 * Math.round(50 * size)) / 100 : size).toFixed(2);
  return `${value < 0 && Number(digits) ? "−" : "+"}${digits}`;
}
