"""Active requests: a request has groups of sentences, a group becomes a row of frames, frames become audio."""

import logging
from collections.abc import Collection, Sequence

import numpy as np
import torch
from torch import Tensor

from engines.base import Advanced, Event, Finished, Refused, Spoke
from engines.codec_lm.active_request import ActiveRequest, GroupAudio
from engines.codec_lm.caches import PrefixStore
from engines.codec_lm.decoding import Decoder
from engines.codec_lm.edges import Untrimmed
from engines.codec_lm.frames import Codes
from engines.codec_lm.packet_queue import ArrivedPacket, PacketQueue
from engines.codec_lm.parts import CodecLm
from engines.codec_lm.plan import Group
from engines.codec_lm.prompts import Turn
from engines.codec_lm.references import ReferenceEncoder
from engines.codec_lm.row_table import InFlightStep, RowTable
from engines.codec_lm.streaming import CodecStreams, PacketFilter
from engines.errors import EngineError
from engines.types import Audio, Samples

log = logging.getLogger(__name__)

REDRAWS = 3  # a group that ends before its first frame is generated again with another seed, this many times
SHOWN = 40  # characters of a group in a note
PROGRESS_MAX = 0.95  # of a group that has not ended
ENCODING_WAIT_S = 0.0005  # wait of a step without other work for a reference; then new requests can start


class CodecLmBatch:
    """Steps every active request and converts the results to events."""

    def __init__(
        self,
        model: CodecLm,
        decoder: Decoder,
        prefixes: PrefixStore,
        references: ReferenceEncoder,
        streams: CodecStreams,
        device: torch.device,
    ) -> None:
        self.requests: dict[str, ActiveRequest] = {}
        self.rows = RowTable(model, decoder, prefixes)
        # A GPU runs the next step while the host handles this one; codes after a row's end are discarded.
        self.ahead = device.type == "cuda"
        self.audio_queue = PacketQueue(streams, patient=self.ahead)
        self._model, self._decoder, self._references = model, decoder, references
        self._filters = model.filters()
        self._in_flight: InFlightStep | None = None
        self._events: list[Event] = []  # not reported yet; a step that runs out of memory loses none

    @property
    def waiting(self) -> Collection[str]:
        """Return the ids of requests with a clip that is still being encoded in another thread."""
        if not self._references.in_background:
            return ()
        return [id for id, request in self.requests.items() if not request.encoded and not request.designing]

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
        """Run one step of every row that is not held; return events of codes and audio that have arrived.

        Requests in `yielding` start no further group.
        """
        self._references.collect()
        self._start_groups([each for id, each in self.requests.items() if id not in held and id not in yielding])
        active = [request for request in self.rows if request.job.id not in held]
        step = self.rows.step(active)
        if self.ahead:
            step, self._in_flight = self._in_flight, step
        if step is not None:
            self._receive(step)
        designing = [request for id, request in self.requests.items() if request.designing and id not in held]
        if designing:  # only one, because each takes as long as a step of all rows
            self._events.append(Advanced(designing[0].job.id, designing[0].generate_voice()))
        self.audio_queue.decode()
        idle = step is None and self._in_flight is None and not self._events
        for arrived in self.audio_queue.arrived(wait=idle):
            self._deliver(arrived)
            idle = False
        if idle:
            self._references.collect(ENCODING_WAIT_S)
        if not self.requests:
            self.rows.release_idle()
        events, self._events = self._events, []
        return events

    def _start_groups(self, active: Sequence[ActiveRequest]) -> None:
        """Start the next group of each request without a row; a group that is only silence ends at once."""
        for request in active:
            if request.sound is not None or request.drawn or not request.encoded:
                continue
            if request.performance is not None:
                self.audio_queue.add(self._performed(request, request.performance.result()))
                continue
            group = request.group
            if not group.text:
                request.group_index += 1
                request.delivered += 1
                self._pause(request, group)
                continue
            if request.generation == 0:
                request.filter = self._filter(request)
            try:
                self.audio_queue.add(self.rows.add(request))
            except EngineError as error:
                self.drop(request.job.id)
                self._events.append(Refused(request.job.id, error))

    def _performed(self, request: ActiveRequest, codes: Tensor) -> GroupAudio:
        """Return the audio of a recorded performance, whose codes are known, in the voice of the reference."""
        format, voice = self._model.frames, request.prompt.voice_codes(request.reference.turn)
        sound = GroupAudio(request, request.group, Untrimmed(), format, voice, format.packets[0], ended=True)
        sound.frames = [np.concatenate((frame, voice)) for frame in codes[: len(codes) - len(voice)].T.numpy()]
        request.group_index = 1
        return sound

    def _filter(self, request: ActiveRequest) -> PacketFilter | None:
        reference = request.reference
        if self._filters is None:
            return None
        return self._filters.stream(reference.audio, reference.codes.result(), reference.digest)

    def _receive(self, step: InFlightStep) -> None:
        """Wait for a step's codes and pass them to their requests."""
        for (request, generation), codes in zip(step.rows, step.codes.value().numpy(), strict=True):
            if request.sound is not None and request.generation == generation:  # neither dropped nor ended meanwhile
                self._take(request, request.sound, codes)

    def _take(self, request: ActiveRequest, sound: GroupAudio, codes: Codes) -> None:
        """Add the codes of a step to a row's group; end the group at its end or its limit."""
        group, ended = sound.group, self._model.is_end(codes)
        if not ended:
            sound.add(codes)
        seconds = sound.step_count / self._model.frames.step_rate
        if not ended and (seconds >= group.longest_s or request.position >= self._decoder.state.length):
            log.warning("a group of %d characters did not end after %.1f s and was cut", len(group.text), seconds)
            request.notes += (cut_note(group.text, seconds),)
            ended = True
        if ended:
            self._end_group(request, sound)
            return
        progress = request.progress(min(seconds, PROGRESS_MAX * group.usual_s))
        self._events.append(Advanced(request.job.id, progress))

    def _end_group(self, request: ActiveRequest, sound: GroupAudio) -> None:
        """Free the group's row, so that the next group can start; generate a group without frames again."""
        self.rows.remove(request)
        if not sound.frames and request.redraws < REDRAWS:
            request.redraws += 1
            self.audio_queue.close(sound)
            return
        sound.ended = True  # the next group may start while the rest of this one is decoded
        request.group_index += 1
        if sound.frames:
            request.previous_turn = Turn(sound.group.text, torch.from_numpy(np.stack(sound.frames, 1)))

    def _deliver(self, arrived: ArrivedPacket) -> None:
        """Deliver a packet of audio; after a group's last packet, its pause, and after the last group, the end."""
        sound, request = arrived.sound, arrived.sound.request
        if self.requests.get(request.job.id) is not request:  # the request was dropped meanwhile
            return
        samples = sound.edges.add(_filtered(request.filter, arrived))
        request.heard = request.heard or len(samples) > 0
        self._spoke(request, samples)
        if not arrived.last:
            if request.performance is not None:
                self._events.append(Advanced(request.job.id, sound.decoded / len(sound.frames)))
            return
        self._spoke(request, sound.edges.end(exact=sound.group.pause_after_s > 0))
        self._pause(request, sound.group)
        request.delivered += 1
        self._events.append(Advanced(request.job.id, request.progress()))
        if request.drawn and sound.group is request.groups[-1]:
            del self.requests[request.job.id]
            self._events.append(Finished(request.job.id, request.notes, request.voice_codes))

    def _pause(self, request: ActiveRequest, group: Group) -> None:
        """Deliver the exact silence after a group."""
        self._spoke(request, np.zeros(round(group.pause_after_s * self._model.frames.sample_rate), np.float32))

    def _spoke(self, request: ActiveRequest, samples: Samples) -> None:
        """Deliver samples, if any, at the level of the reference."""
        if len(samples):
            lowered = samples * np.float32(request.reference.gain)
            self._events.append(Spoke(request.job.id, Audio(lowered, self._model.frames.sample_rate)))


def _filtered(filter: PacketFilter | None, arrived: ArrivedPacket) -> Samples:
    """Return the audio of a packet that is ready after the filter, if there is one."""
    if filter is None:
        return arrived.samples
    ready = filter.add(arrived.samples)
    return np.concatenate((ready, filter.end())) if arrived.last else ready


def cut_note(text: str, seconds: float) -> str:
    """Return a note for the listener that the speech of a text did not end and was cut."""
    shown = text if len(text) <= SHOWN else f"{text[: SHOWN - 1].rstrip()}…"
    return (
        f"The speech of “{shown}” did not end after {seconds:.1f} s and was cut; listen to the take, and speak the line "
        "again with another seed if the take is wrong."
    )
