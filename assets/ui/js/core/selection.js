/** Selection of several items in a list: Shift selects a range, Ctrl or Cmd adds or removes one item. */

/** @typedef {{shiftKey: boolean, ctrlKey: boolean, metaKey: boolean}} Modifiers */

export class Selection {
  constructor() {
    /** @type {Set<string>} */ this.ids = new Set(); // empty: only the current item is selected
    this.anchor = ""; // the item from which Shift extends the range
  }

  /**
   * Handle a click on an item.
   * @param {string} id
   * @param {Modifiers} how
   * @param {string[]} order  ids of all shown items
   * @param {string | null} current
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

  /**
   * Add or remove an item. Adding the first item also selects the current item.
   * @param {string} id @param {string | null} current
   */
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

  /** Remove the items that are not shown any more. @param {string[]} order */
  keep(order) {
    this.ids = new Set(order.filter((id) => this.ids.has(id)));
  }
}
