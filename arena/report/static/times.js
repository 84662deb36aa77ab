// Times in the reader's zone, with UTC beside. A page itself says UTC only.

/**
 * A clock reading in the reader's zone, with UTC beside where that differs.
 * @param {number} at in seconds since 1970
 */
function moment(at) {
  const then = new Date(1000 * at);
  const offset = then.getTimezoneOffset();
  const written = (/** @type {Date} */ date) => date.toISOString().slice(0, 16).replace("T", " ");
  const utc = written(then);
  if (!offset) return `${utc} UTC`;
  const here = written(new Date(then.getTime() - 60000 * offset));
  return `${here} (${here.slice(0, 10) === utc.slice(0, 10) ? utc.slice(11) : utc} UTC)`;
}

if (typeof document !== "undefined") {
  document.querySelectorAll("time").forEach((time) => (time.textContent = moment(Date.parse(time.dateTime) / 1000)));
}
