/** Which page shows; the address keeps it. */
import { changed } from "./bus.js";

export const PAGES = { speak: "Speak", compare: "Compare", champions: "Champions", monitor: "Monitor" };

/** Its key in PAGES; undefined until one shows. */
export function page() {
  return document.body.dataset.page;
}

export function showPages() {
  const show = () => {
    const named = location.hash.slice(1);
    const shown = named in PAGES ? named : "speak";
    document.body.dataset.page = shown;
    document.title = shown === "speak" ? "Champion Voice Studio" : `${PAGES[shown]} · Champion Voice Studio`;
    scrollTo(0, 0);
    changed("page");
  };
  addEventListener("hashchange", show);
  show();
}
