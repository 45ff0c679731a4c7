/** Name, navigation, theme and help. */
import { follow } from "./bus.js";
import { h, iconButton, icon } from "./dom.js";
import { openHelp } from "./help.js";
import { PAGES, page } from "./pages.js";
import { isDark, toggleTheme } from "./theme.js";

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
      theme,
      iconButton("help", "Keys and help", openHelp),
    ),
  );
  const drawPage = () => {
    for (const link of links) link.toggleAttribute("aria-current", false);
    links.find((link) => link.dataset.page === page())?.setAttribute("aria-current", "page");
  };
  const drawTheme = () => {
    theme.replaceChildren(icon(isDark() ? "sun" : "moon"));
    const label = isDark() ? "Light theme" : "Dark theme";
    theme.setAttribute("aria-label", label);
    theme.title = label;
  };
  follow("page", drawPage);
  follow("theme", drawTheme);
}
