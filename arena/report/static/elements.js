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
