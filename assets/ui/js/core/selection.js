/** Several things of a list chosen together: by Shift from one to another, by Ctrl or Cmd one by one. */

/** @typedef {{shiftKey: boolean, ctrlKey: boolean, metaKey: boolean}} Modifiers */

export class Selection {
  constructor() {
    /** @type {Set<string>} */ this.ids = new Set(); // empty: none but the current one is meant
    this.anchor = ""; // from which Shift extends
  }

  /**
   * Follow a press on one of them.
   * @param {string} id @param {Modifiers} how @param {string[]} order  of all that show @param {string | null} current
   */
  press(id, { shiftKey, ctrlKey, metaKey }, order, current) {
    if (shiftKey) this.extend(id, order, current);
    else if (ctrlKey || metaKey) this.toggle(id, current);
    else this.clear(id);
  }

  /** @param {string} id @param {string[]} order @param {string | null} current */
  extend(id, order, current) {
    if (!order.includes(this.anchor)) this.anchor = current && order.includes(current) ? current : id;
    const ends = [order.indexOf(this.anchor), order.indexOf(id)];
    this.ids = new Set(order.slice(Math.min(...ends), Math.max(...ends) + 1));
  }

  /** The current one, if any, is chosen with the first that is added to it. @param {string} id @param {string | null} current */
  toggle(id, current = null) {
    if (!this.ids.size && current && current !== id) this.ids.add(current);
    if (!this.ids.delete(id)) this.ids.add(id);
    this.anchor = id;
  }

  /** @param {string} anchor */
  clear(anchor = "") {
    this.ids.clear();
    this.anchor = anchor;
  }

  /** Forget those that do not show any more. @param {string[]} order */
  keep(order) {
    this.ids = new Set(order.filter((id) => this.ids.has(id)));
  }
}
