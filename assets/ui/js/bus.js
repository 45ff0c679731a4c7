/** What modules tell each other. One name per happening; see who calls `on`. */
const target = new EventTarget();

export function emit(name, detail = null) {
  target.dispatchEvent(new CustomEvent(name, { detail }));
}

export function on(name, hear) {
  target.addEventListener(name, (event) => hear(event.detail));
}
