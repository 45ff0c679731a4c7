"""The requests that S1 speaks: a request has groups of sentences, a group becomes a row of frames, frames become audio."""

import logging
from collections.abc import Collection, Sequence

import numpy as np
import torch

from engines.base import Advanced, Event, Finished, Refused, Spoke
from engines.errors import EngineError
from engines.s1.active_request import Frame, GroupSound, S1ActiveRequest
from engines.s1.caches import PrefixStore
from engines.s1.codec_streams import CodecStreams
from engines.s1.decoding import Decoder
from engines.s1.model import S1Model
from engines.s1.plan import Group
from engines.s1.prompt import Turn
from engines.s1.rows import InFlightStep, RowTable
from engines.s1.sounding import ArrivedSound, Sounding
from engines.s1.timbre import VoiceTimbres
from engines.types import Audio, Samples

log = logging.getLogger(__name__)

REDRAWS = 3  # a group whose first frame is its end is generated again with another seed, this many times
SHOWN = 40  # characters of a group in a note
PROGRESS_MAX = 0.95  # of a group that has not ended


class S1Batch:
    """Steps every active request and converts the results to events."""

    def __init__(
        self, model: S1Model, decoder: Decoder, prefixes: PrefixStore, streams: CodecStreams, device: torch.device
    ) -> None:
        self.requests: dict[str, S1ActiveRequest] = {}
        self.rows = RowTable(model, decoder, prefixes)
        # A GPU generates the next frame while the host handles this one; a frame after a row's end is discarded.
        self.ahead = device.type == "cuda"
        self.audio_queue = Sounding(streams, patient=self.ahead)
        self._model, self._decoder = model, decoder
        self._timbres = VoiceTimbres(model.codec, model.defaults.timbre, model.known)
        self._in_flight: InFlightStep | None = None
        self._events: list[Event] = []  # not reported yet; a step that runs out of memory loses none

    @property
    def waiting(self) -> Collection[str]:
        """Return the ids of requests whose reference is still being encoded."""
        return [id for id, request in self.requests.items() if not request.reference.codes.done()]

    @property
    def between_segments(self) -> Collection[str]:
        """Return the ids of requests with no group in progress, all earlier audio delivered, and more groups to start."""
        return [id for id, request in self.requests.items() if request.between_groups]

    def drop(self, id: str) -> None:
        """Drop a request; ignore an unknown id."""
        request = self.requests.pop(id, None)
        if request is not None:
            self.audio_queue.drop(request)
            if request.sound is not None:
                self.rows.remove(request)

    def step(self, held: Collection[str], yielding: Collection[str] = ()) -> Sequence[Event]:
        """Generate one frame of every row that is not held; return events of frames and audio that have arrived.

        Requests in `yielding` start no further group.
        """
        self._start_groups([each for id, each in self.requests.items() if id not in held and id not in yielding])
        active = [request for request in self.rows if request.job.id not in held]
        if self._decoder.saturates_gpu(len(active)) and not active[0].heard:
            self.audio_queue.streams.go_first()
        step = self.rows.step(active)
        if self.ahead:
            step, self._in_flight = self._in_flight, step
        if step is not None:
            self._receive(step)
        self.audio_queue.decode()
        idle = step is None and self._in_flight is None and not self._events
        for arrived in self.audio_queue.arrived(wait=idle):
            self._deliver(arrived)
        if not self.requests:
            self.rows.release_idle()
        events, self._events = self._events, []
        return events

    def _start_groups(self, active: Sequence[S1ActiveRequest]) -> None:
        """Start the next group of each request without a row; a group that is only silence ends at once."""
        for request in active:
            if request.sound is not None or request.drawn or not request.reference.codes.done():
                continue
            group = request.group
            if not group.text:
                request.group_index += 1
                request.delivered += 1
                self._pause(request, group)
                continue
            if request.generation == 0:
                request.timbre = self._timbres.stream(request.reference)
            try:
                self.audio_queue.add(self.rows.add(request))
            except EngineError as error:
                self.drop(request.job.id)
                self._events.append(Refused(request.job.id, error))

    def _receive(self, step: InFlightStep) -> None:
        """Wait for a step's frames and pass them to their requests."""
        for (request, generation), frame in zip(step.rows, step.frames.value().numpy(), strict=True):
            if request.sound is not None and request.generation == generation:  # neither dropped nor ended meanwhile
                self._take(request, request.sound, frame)

    def _take(self, request: S1ActiveRequest, sound: GroupSound, frame: Frame) -> None:
        """Add a frame to a row's group; after its end, go on to the next group."""
        group, ended = sound.group, frame[0] >= self._model.network.semantic_count
        if not ended:
            sound.frames.append(frame)
        seconds = len(sound.frames) / self._model.codec.config.frame_rate
        if not ended and (seconds >= group.longest_s or request.position >= self._decoder.state.length):
            log.warning("a group of %d characters did not end after %.1f s and was cut", len(group.text), seconds)
            request.notes += (cut_note(group.text, seconds),)
            ended = True
        if not ended:
            share = min(PROGRESS_MAX, seconds / group.usual_s) * group.usual_s
            whole = sum(group.usual_s for group in request.groups)
            self._events.append(Advanced(request.job.id, request.fraction + share / whole))
            return
        self.rows.remove(request)
        if not sound.frames and request.redraws < REDRAWS:
            request.redraws += 1
            self.audio_queue.close(sound)
            return
        sound.ended = True  # the next group may start while the rest of this one is decoded
        request.group_index += 1
        if sound.frames:
            request.previous_turn = Turn(group.text, torch.from_numpy(np.stack(sound.frames, 1)))

    def _deliver(self, arrived: ArrivedSound) -> None:
        """Deliver a packet of audio; after a group's last packet, its pause, and after the last group, the end."""
        sound, request = arrived.sound, arrived.sound.request
        if self.requests.get(request.job.id) is not request:  # the request was dropped meanwhile
            return
        samples = sound.edges.add(self._in_timbre(request, arrived))
        request.heard = request.heard or len(samples) > 0
        self._spoke(request, samples)
        if not arrived.last:
            return
        self._spoke(request, sound.edges.end(exact=sound.group.pause_after_s > 0))
        self._pause(request, sound.group)
        request.delivered += 1
        self._events.append(Advanced(request.job.id, request.fraction))
        if request.drawn and sound.group is request.groups[-1]:
            del self.requests[request.job.id]
            self._events.append(Finished(request.job.id, request.notes))

    def _in_timbre(self, request: S1ActiveRequest, arrived: ArrivedSound) -> Samples:
        """Return the audio of a packet that is ready, with its timbre corrected if the checkpoint needs that."""
        timbre = request.timbre
        if timbre is None:
            return arrived.samples
        ready = timbre.add(arrived.samples)
        return np.concatenate((ready, timbre.end())) if arrived.last else ready

    def _pause(self, request: S1ActiveRequest, group: Group) -> None:
        """Deliver the exact silence after a group."""
        self._spoke(request, np.zeros(round(group.pause_after_s * self._model.codec.config.sample_rate), np.float32))

    def _spoke(self, request: S1ActiveRequest, samples: Samples) -> None:
        """Deliver samples, if any, at the level of the reference."""
        if len(samples):
            lowered = samples * np.float32(request.reference.gain)
            self._events.append(Spoke(request.job.id, Audio(lowered, self._model.codec.config.sample_rate)))


def cut_note(text: str, seconds: float) -> str:
    """Return a note for the listener that the speech of a text did not end and was cut."""
    shown = text if len(text) <= SHOWN else f"{text[: SHOWN - 1].rstrip()}…"
    return (
        f"The speech of “{shown}” did not end after {seconds:.1f} s and was cut; listen to the take, and speak the line "
        "again with another seed if the take is wrong."
    )
