"""The requests S1 speaks: each becomes groups of sentences, each group a row of frames, and frames become sound."""

import logging
from collections.abc import Collection, Sequence

import numpy as np
import torch
from torch import Tensor

from engines.base import Advanced, Event, Finished, Refused, Spoke
from engines.errors import EngineError
from engines.s1.active_request import S1ActiveRequest
from engines.s1.caches import PrefixStore
from engines.s1.decoding import Decoder
from engines.s1.model import S1Model
from engines.s1.prompt import Turn
from engines.s1.rows import InFlightStep, RowTable
from engines.types import Audio, Samples

log = logging.getLogger(__name__)

REDRAWS = 3  # a group's first frame may be its end; then it is drawn again, with another seed
PROGRESS_MAX = 0.95  # of a group that has not ended


class S1Batch:
    """Steps every request in work and turns what was drawn into events."""

    def __init__(self, model: S1Model, decoder: Decoder, prefixes: PrefixStore, device: torch.device) -> None:
        self.requests: dict[str, S1ActiveRequest] = {}
        self.rows = RowTable(model, decoder, prefixes)
        # A GPU draws the next frame while this one is decoded; the one drawn behind a row's end is thrown away.
        self.ahead = device.type == "cuda"
        self._model, self._decoder, self._device = model, decoder, device
        self._in_flight: InFlightStep | None = None

    @property
    def waiting(self) -> Collection[str]:
        """Requests whose reference is still being encoded."""
        return [id for id, request in self.requests.items() if not request.reference.codes.done()]

    def drop(self, id: str) -> None:
        """Forget a request; unknown ids are ignored."""
        request = self.requests.pop(id, None)
        if request is not None and request.has_row:
            self.rows.remove(request)

    def step(self, held: Collection[str]) -> Sequence[Event]:
        """Draw one frame of every row that is not held; events of the frames that have arrived."""
        events = self._start_groups([request for id, request in self.requests.items() if id not in held])
        step = self.rows.step([request for request in self.rows if request.job.id not in held])
        if self.ahead:
            step, self._in_flight = self._in_flight, step
        return events if step is None else [*events, *self._receive(step)]

    def _start_groups(self, active: Sequence[S1ActiveRequest]) -> list[Event]:
        """Give the next group of each request without a row one; a group that is silence alone is over at once."""
        events: list[Event] = []
        for request in active:
            if request.has_row or not request.reference.codes.done():
                continue
            if not request.group.text:
                events += self._end_group(request)
                continue
            try:
                self.rows.add(request)
            except EngineError as error:
                self.drop(request.job.id)
                events.append(Refused(request.job.id, error))
        return events

    def _receive(self, step: InFlightStep) -> list[Event]:
        """Wait for a step's frames and hand them to their requests."""
        events: list[Event] = []
        for (request, generation), frame in zip(step.rows, step.frames.codes(), strict=True):
            if request.has_row and request.generation == generation:  # neither dropped nor ended meanwhile
                events += self._take(request, frame)
        return events

    def _take(self, request: S1ActiveRequest, frame: Tensor) -> list[Event]:
        """Take a row's frame in: sound when a packet is full, the next group when this one ended."""
        ended = int(frame[0]) >= self._model.network.semantic_count
        if not ended:
            request.frames.append(frame)
        seconds = len(request.frames) / self._model.codec.config.frame_rate
        length = self._decoder.state.length
        if not ended and (seconds >= request.group.longest_s or request.position >= length):
            log.warning("a group of %d characters had no end after %.1f s; it is cut", len(request.group.text), seconds)
            ended = True
        if ended and not request.frames and request.redraws < REDRAWS:
            request.redraws += 1
            self.rows.remove(request)
            return []
        events: list[Event] = []
        if ended or len(request.frames) - request.decoded >= request.packet_frames:
            events += self._spoke(request, self._decode(request))
        if not ended:
            share = min(PROGRESS_MAX, seconds / request.group.usual_s) * request.group.usual_s
            whole = sum(group.usual_s for group in request.groups)
            return [*events, Advanced(request.job.id, request.fraction + share / whole)]
        self.rows.remove(request)
        if request.frames:
            request.previous_turn = Turn(request.group.text, torch.stack(request.frames, 1))
        return [*events, *self._end_group(request)]

    def _decode(self, request: S1ActiveRequest) -> Samples:
        """The sound of the frames that wait, edges trimmed."""
        waiting = request.frames[request.decoded :]
        if not waiting or request.edges is None:
            return np.empty(0, np.float32)
        request.decoded += len(waiting)
        request.packets += 1
        codes = torch.stack(waiting, 1).to(self._device)
        samples: Samples = self._model.codec.decode(codes, request.codec_state).float().cpu().numpy()
        return request.edges.add(samples)

    def _end_group(self, request: S1ActiveRequest) -> list[Event]:
        """Add the pause behind the group and go on to the next one, or finish."""
        group, events = request.group, list[Event]()
        rate = self._model.codec.config.sample_rate
        if request.edges is not None:
            events += self._spoke(request, request.edges.end(exact=group.pause_after_s > 0))
            request.edges = None
        events += self._spoke(request, np.zeros(round(group.pause_after_s * rate), np.float32))
        request.group_index += 1
        if request.group_index == len(request.groups):
            del self.requests[request.job.id]
            return [*events, Advanced(request.job.id, 1.0), Finished(request.job.id)]
        return [*events, Advanced(request.job.id, request.fraction)]

    def _spoke(self, request: S1ActiveRequest, samples: Samples) -> list[Event]:
        """An event of these samples, at the reference's own level; none without samples."""
        if not len(samples):
            return []
        lowered = samples * np.float32(request.reference.gain)
        return [Spoke(request.job.id, Audio(lowered, self._model.codec.config.sample_rate))]
