/** Which page shows; the address keeps it. */
import { emit } from "./bus.js";

export const PAGES = { speak: "Speak", compare: "Compare", champions: "Champions", monitor: "Monitor" };

export function showPages() {
  const show = () => {
    const named = location.hash.slice(1);
    const page = named in PAGES ? named : "speak";
    document.body.dataset.page = page;
    document.title = page === "speak" ? "Champion Voice Studio" : `${PAGES[page]} · Champion Voice Studio`;
    scrollTo(0, 0);
    emit("page", page);
  };
  addEventListener("hashchange", show);
  show();
}
