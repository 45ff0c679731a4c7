/** The takes of this browser: read, starred, deleted with a way back. */
import { emit } from "../core/bus.js";
import { EVENT } from "../core/events.js";
import { attempt } from "../core/login.js";
import { get, post, remove } from "../core/server.js";
import { select, setTakes, state, takeOf } from "../core/state.js";
import { toast } from "../core/toast.js";

/** Where its sound is. @param {Take} take */
export function audioOf({ id }) {
  return `/studio/takes/${id}/audio.wav`;
}

export async function loadTakes() {
  setTakes(await get("/studio/takes"));
}

/** @param {string} id */
export async function star(id, starred = !takeOf(id).starred) {
  await attempt(async () => {
    const take = await post(`/studio/takes/${id}/star`, { starred });
    setTakes(state.takes.map((other) => (other.id === take.id ? take : other)));
  });
}

/** Delete with a way back. @param {string} id */
export async function discard(id) {
  const place = state.takes.findIndex((take) => take.id === id);
  await attempt(async () => {
    await remove(`/studio/takes/${id}`);
    setTakes(state.takes.filter((take) => take.id !== id));
    emit(EVENT.discarded, id);
    const next = state.takes[Math.min(place, state.takes.length - 1)];
    if (state.selected === id) select(next?.id ?? null);
    toast("Take deleted.", { action: "Undo", onaction: () => bringBack(id, place) });
  });
}

/** @param {string} id @param {number} place */
async function bringBack(id, place) {
  await attempt(async () => {
    const take = await post(`/studio/takes/${id}/restore`);
    setTakes(state.takes.toSpliced(place, 0, take));
    select(id);
  });
}
