"""Gradio's queue in front of the scheduler, with fair turns, realistic ETAs and little CPU time while idle."""

import asyncio
import time
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import gradio as gr
from fastapi import HTTPException
from gradio.queueing import Event, EventQueue, Queue
from gradio.server_messages import EstimationMessage, EventMessage, ProcessCompletedMessage
from gradio.utils import run_coro_in_background

from engines.errors import EngineError
from engines.scheduling.fairness import Rotation
from studio.order import Order, flat, read_order
from studio.progress import plural
from studio.studio import Studio
from studio.telemetry.snapshot import Queued
from studio.ui.admission import UPLOAD_FIRST, files_among, was_uploaded
from studio.web.problems import HEADERS
from studio.web.session import SESSION_HEADER

AUDIO_CONCURRENCY_ID = "gpu"  # the concurrency id of every listener that generates audio
POLL_S = 0.02  # Gradio polls a thousand times a second, which costs 4 % of a core
BROADCAST_S = 1.0  # interval between broadcasts of rank and ETA
UNHEARD_S = 30.0  # clients that read nothing for this long are removed
LEFT = (
    "the client disconnected while queued, so the request was dropped; send the request again and listen at /queue/data"
)


class GradioQueue(Queue):
    """The queue that replaces Gradio's."""

    def __init__(self, page: gr.Blocks, studio: Studio) -> None:
        super().__init__(
            live_updates=True,
            concurrency_count=page.max_threads,
            update_intervals=BROADCAST_S,
            max_size=studio.settings.queue_size,
            blocks=page,
            default_concurrency_limit=1,
        )
        self.sleep_when_free, self.progress_update_sleep_when_free = POLL_S, BROADCAST_S
        self.unheard_s = UNHEARD_S
        self._heard_at: dict[str, float] = {}
        self._studio = studio
        self._rotation = Rotation()
        self._nothing = read_order({"engine": studio.settings.engines[0]})

    def waiting(self) -> list[Queued]:
        """Return the requests that wait for the device, in order. Thread-safe."""
        return [Queued(session_of(event), order.engine, eta_s) for event, order, eta_s in self._waiting()]

    def start(self) -> None:
        super().start()  # type: ignore[no-untyped-call]
        run_coro_in_background(self.notify_clients)  # Gradio itself notifies only when the queue moves

    async def notify_clients(self) -> None:
        """Every second, remove clients that stopped listening, then broadcast queue positions."""
        while not self.stopped:
            await asyncio.sleep(BROADCAST_S)
            await self._remove_unheard()
            for concurrency_id in list(self.event_queue_per_concurrency_id):
                self.broadcast_estimations(concurrency_id)

    async def _remove_unheard(self) -> None:
        """Remove requests without a listener, except two-step calls, whose results may be fetched later."""
        now, waiting = time.monotonic(), [event for event in self._events() if event.session_hash != event._id]
        unread = {event.session_hash for event in waiting if self._messages(event)}
        self._heard_at = {session: self._heard_at.get(session, now) for session in unread}
        for event in waiting:
            if now - self._heard_at.get(event.session_hash, now) > self.unheard_s:
                await self.remove_from_queue(event._id)
                self.send_message(event, ProcessCompletedMessage(output={"error": LEFT}, success=False))

    def send_message(self, event: Event, event_message: EventMessage) -> None:
        """Send a message, unless Gradio has removed the session; Gradio keeps the latest 2,000 sessions."""
        if event.session_hash in self.pending_messages_per_session:
            super().send_message(event, event_message)

    def _messages(self, event: Event) -> int:
        """Count the unread messages of an event's session."""
        messages = self.pending_messages_per_session.get(event.session_hash)
        return 0 if messages is None else messages.qsize()

    async def push(self, body: Any, request: Any, username: str | None) -> tuple[bool, Any, Any]:
        """Queue an event, and fill in missing values. Refusals are counted and have a message.

        The permission is checked later, when the call begins. Raises ValueError, and HTTPException if the visitor already has
        half of the places.
        """
        str(body.session_hash).encode()  # fails now, because a name that cannot be encoded would fail later
        called = self.blocks.fns.get(body.fn_index)
        if called is None:
            return False, f"unknown function {body.fn_index}; reload the page", "error"
        if not all(map(was_uploaded, files_among(body.data))):
            return False, UPLOAD_FIRST, "error"
        self._keep_places(request.headers.get(SESSION_HEADER, ""))
        body.data += [None] * (len(called.inputs) - len(body.data))
        accepted, said, state = await super().push(body, request, username)
        if state == "queue_full":
            self._studio.telemetry.count_refused()
            said = f"Queue is full: {plural(len(self), 'waiting request')}; try again in a moment"
        return accepted, said, state

    def _keep_places(self, session_id: str) -> None:
        """Refuse a session that has half of the places, so that places remain for other sessions."""
        own = sum(session_of(event) == session_id for event in self._events())
        places = self._studio.settings.queue_size
        if own < (places + 1) // 2 or len(self) >= places:
            return
        self._studio.telemetry.count_refused()
        said = (
            f"{own} of your requests {'is' if own == 1 else 'are'} waiting; wait until one is finished, then try again"
        )
        raise HTTPException(HTTPStatus.TOO_MANY_REQUESTS, said, dict(HEADERS[HTTPStatus.TOO_MANY_REQUESTS]))

    def _events(self) -> Iterator[Event]:
        """Yield all waiting events, also those that do not need the device."""
        for waiting in self.event_queue_per_concurrency_id.values():
            yield from waiting.queue

    def get_events(self) -> tuple[list[Event], bool, str] | None:
        """Return the next events. Among those for the device, the fair order decides."""
        waiting = self.event_queue_per_concurrency_id.get(AUDIO_CONCURRENCY_ID)
        if waiting is not None:
            waiting.concurrency_limit = self._width()
            self._take_turns(waiting)
        chosen: tuple[list[Event], bool, str] | None = super().get_events()
        if waiting is not None and chosen is not None and chosen[2] == AUDIO_CONCURRENCY_ID:
            [event] = chosen[0]
            self._rotation.served(session_of(event), [session_of(each) for each in (event, *waiting.queue)])
        return chosen

    def broadcast_estimations(self, concurrency_id: str, after: int | None = None) -> None:
        """Send ranks and ETAs to clients that wait for the device; Gradio knows only the average duration of a take."""
        if concurrency_id != AUDIO_CONCURRENCY_ID:
            super().broadcast_estimations(concurrency_id, after)
            return
        self._take_turns(self.event_queue_per_concurrency_id[AUDIO_CONCURRENCY_ID])
        waiting = self._waiting()
        before = sum(entry.status.state == "queued" for entry in self._studio.manager.queue())
        for rank, (event, _, eta_s) in enumerate(waiting, start=before):
            self.send_message(event, EstimationMessage(rank=rank, rank_eta=eta_s, queue_size=before + len(waiting)))

    def _take_turns(self, waiting: EventQueue) -> None:
        """Sort the queue in the fair order. Only Gradio's thread changes the queue."""
        waiting.queue[:] = self._rotation.order(waiting.queue, session_of)

    def _width(self) -> int:
        """Return the number of requests that run together: the setting, or one on a CPU and a whole batch on a GPU."""
        loaded = [status.info for status in self._studio.manager.statuses() if status.info is not None]
        rows = [info.rows for info in loaded if not info.device.startswith("cpu")]
        # The smallest engine decides, because any engine may be requested.
        return self._studio.settings.gpu_concurrency or min(rows, default=1)

    def _waiting(self) -> list[tuple[Event, Order, float | None]]:
        waiting = self.event_queue_per_concurrency_id.get(AUDIO_CONCURRENCY_ID)
        events = list(waiting.queue) if waiting else []
        orders = [self._order(event) for event in events]
        return list(zip(events, orders, self._studio.manager.etas(orders), strict=True))

    def _order(self, event: Event) -> Order:
        """Return the order of an event; an empty order if the event will be refused."""
        try:
            sent = event.data.data if event.data else []
            order = read_order(dict(zip(flat(self._nothing), sent, strict=False)))
            self._studio.manager.status(order.engine)
        except EngineError:
            return self._nothing
        return order


def session_of(event: Event) -> str:
    session_id: str = event.request.headers.get(SESSION_HEADER, "")
    return session_id
