/** Name, navigation, theme and help. */
import { on } from "./bus.js";
import { h, iconButton, icon } from "./dom.js";
import { openHelp } from "./help.js";
import { PAGES } from "./pages.js";
import { isDark, toggleTheme } from "./theme.js";

export function mount(element) {
  const links = Object.entries(PAGES).map(([page, title]) => h("a", { href: `#${page}`, "data-page": page }, title));
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
  const drawPage = (page) => {
    for (const link of links) link.toggleAttribute("aria-current", false);
    links.find((link) => link.dataset.page === page)?.setAttribute("aria-current", "page");
  };
  const drawTheme = () => {
    theme.replaceChildren(icon(isDark() ? "sun" : "moon"));
    const label = isDark() ? "Light theme" : "Dark theme";
    theme.setAttribute("aria-label", label);
    theme.title = label;
  };
  on("page", drawPage);
  on("theme", drawTheme);
  drawTheme();
  drawPage(document.body.dataset.page);
}
