/** Sets `--keyboard` to the height of an on-screen keyboard, for browsers that draw the keyboard over the page. */

export function followKeyboard() {
  const { visualViewport: seen } = window;
  if (!seen) return;
  const update = () => {
    // Zooming in also makes the visual viewport smaller, but covers nothing.
    const covered = seen.scale > 1.01 ? 0 : Math.max(0, innerHeight - seen.height - seen.offsetTop);
    document.documentElement.style.setProperty("--keyboard", `${Math.round(covered)}px`);
  };
  for (const name of ["resize", "scroll"]) seen.addEventListener(name, update);
  update();
}
