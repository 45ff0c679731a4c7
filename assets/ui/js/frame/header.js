/** The header: title, navigation, undo menu, theme and help. */
import { follow } from "../core/bus.js";
import { h, icon, iconButton } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { entry, menu } from "../core/menu.js";
import { PAGES, page } from "../core/pages.js";
import { isDark, toggleTheme } from "../core/theme.js";
import { next, redo, undo } from "../core/undo.js";
import { openHelp } from "./help.js";

/** Return the menu entries for undo and redo. */
function entries() {
  const { undo: last, redo: again } = next();
  const none = h("button", { type: "button", "aria-disabled": "true" }, "Nothing to undo");
  return [last ? entry(`Undo: ${last.words}`, undo) : none, ...(again ? [entry(`Redo: ${again.words}`, redo)] : [])];
}

/** @param {HTMLElement} element */
export function mount(element) {
  const links = Object.entries(PAGES).map(([name, title]) => h("a", { href: `#${name}`, "data-page": name }, title));
  const theme = iconButton("sun", "Light theme", toggleTheme);
  element.append(
    h(
      "header.header",
      {},
      h("h1", {}, icon("mark"), h("span", {}, "Champion Voice Studio")),
      h("nav", { "aria-label": "Pages" }, ...links),
      h("span.gap"),
      menu(iconButton("undo", "Undo and redo"), entries),
      theme,
      iconButton("help", "Keyboard shortcuts and help", openHelp),
    ),
  );
  follow(STATE.page, () => {
    for (const link of links) link.toggleAttribute("aria-current", false);
    const current = links.find((link) => link.dataset.page === page());
    current?.setAttribute("aria-current", "page");
    current?.scrollIntoView({ block: "nearest", inline: "nearest" }); // the tabs scroll on narrow screens
  });
  follow(STATE.theme, () => {
    const label = isDark() ? "Light theme" : "Dark theme";
    theme.replaceChildren(icon(isDark() ? "sun" : "moon"));
    theme.setAttribute("aria-label", label);
    theme.title = label;
  });
}
