"""Faults of a page's layout, found in the boxes that Chromium computed."""

from typing import Any

from playwright.sync_api import Page

# Text cut off without an ellipsis, a title or a way to scroll to the rest; controls over controls; sideways scrolling.
FAULTS = r"""
() => {
  const SCROLLS = new Set(['auto', 'scroll']);
  const CONTROLS = 'button, a[href], input, select, textarea, summary, [role=slider], [role=separator]';
  // A table, rows that scroll, and two handles over one waveform.
  const WIDE = '.line-grid, .takes-of-line, .script-counts, .script-status, .range';
  const modal = [...document.querySelectorAll('dialog[open]')].at(-1);
  const root = modal ?? document.body;
  const name = (element) => {
    const words = (element.getAttribute('aria-label') || element.textContent || element.value || '').trim();
    const at = element.closest('[class], [id]');
    const classes = String(at?.className.baseVal ?? at?.className);
    const where = at ? `${at.tagName.toLowerCase()}${at.id && '#' + at.id}.${classes}` : '';
    return `${where} "${words.slice(0, 40)}"`;
  };
  const box = ({ left, right, top, bottom }) => ({ left, right, top, bottom });
  const meet = (one, other) => ({
    left: Math.max(one.left, other.left), right: Math.min(one.right, other.right),
    top: Math.max(one.top, other.top), bottom: Math.min(one.bottom, other.bottom),
  });
  const wide = (rect) => Math.min(rect.right - rect.left, rect.bottom - rect.top);
  const shown = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    !element.closest('.sr-only, [aria-hidden=true]:not(kbd):not(i)') &&
    getComputedStyle(element).clipPath === 'none';
  const window_ = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const parentOf = (element) => (getComputedStyle(element).position === 'fixed' ? null : element.parentElement);
  /** What of a box its ancestors let through. */
  const visible = (element) => {
    let rect = box(element.getBoundingClientRect());
    for (let at = parentOf(element); at && at !== document.body; at = parentOf(at)) {
      const { display, overflowX, overflowY } = getComputedStyle(at);
      const clips = display !== 'contents' && (overflowX !== 'visible' || overflowY !== 'visible');
      if (clips) rect = meet(rect, at.getBoundingClientRect());
    }
    return meet(rect, window_);
  };
  const overlay = (element) => {
    for (let at = element; at && at !== document.body; at = at.parentElement)
      if (['fixed', 'sticky'].includes(getComputedStyle(at).position) || at.matches('.menu, dialog')) return at;
    return null;
  };
  /** An open menu may lie over anything, if nothing lies over the menu. */
  const menuOnTop = (one, other, { left, right, top, bottom }) => {
    const menu = one.closest('.menu') ?? other.closest('.menu');
    return menu?.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
  };
  const faults = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element || element.matches('script, style, option, title') || !shown(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const rect = range.getBoundingClientRect();
    if (!rect.width || !rect.height) continue;
    let [across, down] = [true, true];
    for (let at = element; at && at !== document.documentElement && (across || down); at = at.parentElement) {
      const style = getComputedStyle(at);
      const edge = at.getBoundingClientRect();
      if (style.display === 'contents') continue;  // it has no box
      if (at.title || style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none') across = down = false;
      if (SCROLLS.has(style.overflowX)) across = false;
      if (SCROLLS.has(style.overflowY)) down = false;
      if (at.matches('textarea')) break;
      if (across && style.overflowX !== 'visible' && (rect.right > edge.right + 1 || rect.left < edge.left - 1))
        { faults.push(`cut at the side: ${name(element)}`); break; }
      if (down && style.overflowY !== 'visible' && (rect.bottom > edge.bottom + 3 || rect.top < edge.top - 3))
        { faults.push(`cut below: ${name(element)}`); break; }
      if (style.position === 'fixed' || at === root) break;
    }
    if (across && (rect.right > innerWidth + 1 || rect.left < -1)) faults.push(`outside the window: ${name(element)}`);
  }
  const controls = [...root.querySelectorAll(CONTROLS)].filter(
    (one) => shown(one) && one.type !== 'hidden' && wide(visible(one)) > 1);
  for (const one of controls) {
    const { textOverflow, overflowX } = getComputedStyle(one);
    const field = one.matches('input:not([type=range], [type=checkbox], [type=radio], [type=color], [type=file])');
    const over = one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0;
    const readable = one === document.activeElement || textOverflow === 'ellipsis' || SCROLLS.has(overflowX) || one.title;
    if (over && (field || one.matches('button, a')) && !readable) faults.push(`wider than its control: ${name(one)}`);
  }
  const placed = controls.map((one) => [one, visible(one), overlay(one)]);
  placed.forEach(([one, rect, over], at) => {
    for (const [other, second, under] of placed.slice(at + 1)) {
      if (one.contains(other) || other.contains(one) || (!over) !== (!under)) continue;
      if (one.closest('.range') && other.closest('.range')) continue;
      if (one.matches('.column-edge') || other.matches('.column-edge')) continue;  // it lies over both columns
      if (over !== under && (over?.contains(under) || under?.contains(over))) continue;
      const common = meet(rect, second);
      if (wide(common) > 2 && !menuOnTop(one, other, common)) faults.push(`one over the other: ${name(one)} | ${name(other)}`);
    }
  });
  for (const one of [document.documentElement, ...root.querySelectorAll('*')]) {
    const over = one.scrollWidth > one.clientWidth + 1 && !one.matches('textarea, input') && !one.closest(WIDE);
    const scrolls = one === document.documentElement || (SCROLLS.has(getComputedStyle(one).overflowX) && shown(one));
    if (over && scrolls) faults.push(`scrolls sideways: ${name(one)} ${one.scrollWidth} > ${one.clientWidth}`);
  }
  return [...new Set(faults)];
}
"""


def layout_faults(page: Page) -> list[str]:
    """Describe what is cut off, what lies over what, and what scrolls sideways, in the window as it stands now."""
    page.evaluate("document.fonts.ready")
    found: list[Any] = page.evaluate(FAULTS)
    return [str(fault) for fault in found]
