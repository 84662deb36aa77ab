// Elements of a page, made so that text is only ever text.

/** @param {string} id */
function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * An element with classes, attributes and children. Text is only ever text.
 * @param {string} tag
 * @param {Record<string, string>} [attributes]
 * @param {(Node | string)[]} [children]
 */
function element(tag, attributes = {}, children = []) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * A text whose `backticks` become code.
 * @param {string} text
 */
function codes(text) {
  return text.split(/`([^`\n]+)`/).map((part, at) => (at % 2 ? element("code", {}, [part]) : part));
}

/**
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {string} [text]
 */
function svg(tag, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/**
 * The beginning and the end of a name; its middle may be cut. Related names differ in their last words, so the end
 * consists of whole words if these are neither short nor long. A short name is one part.
 * @param {string} name
 * @returns {string[]}
 */
function parted(name) {
  const letters = name.match(/\P{M}\p{M}*/gu) ?? [];
  if (letters.length <= 8) return [name];
  const word = /[\p{L}\p{N}]/u;
  const sizes = [10, 9, 8, 7, 6, 5, 4].filter((size) => letters.length - size >= 4);
  const begins = (/** @type {number} */ size) => word.test(letters[letters.length - size]) && !word.test(letters[letters.length - size - 1]);
  const size = sizes.find((one) => letters[letters.length - one - 1] === "…") ?? sizes.find(begins) ?? Math.min(8, letters.length - 4);
  return [letters.slice(0, -size).join(""), letters.slice(-size).join("")];
}

/**
 * Cuts the middle of a name if there is no room for all of it; the styles are in base.css.
 * @param {Element} box
 */
function cutMiddle(box) {
  const name = box.textContent ?? "";
  const parts = parted(name);
  box.classList.add("cut");
  box.classList.toggle("parted", parts.length > 1);
  box.setAttribute("dir", "auto");
  box.setAttribute("title", name);
  box.replaceChildren(...(parts.length > 1 ? parts.map((part) => element("span", {}, [part])) : parts));
}

/**
 * A name whose middle is cut if necessary.
 * @param {string} name
 */
function nameElement(name) {
  const made = element("span", {}, [name]);
  cutMiddle(made);
  return made;
}

if (typeof document !== "undefined") document.querySelectorAll(".cut").forEach(cutMiddle);
