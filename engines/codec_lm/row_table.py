"""The rows of a batch: the request of each slot, and the prompts in the KV cache."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from torch import Tensor

from engines.codec_lm.active_request import ActiveRequest, GroupAudio
from engines.codec_lm.caches import PrefixStore
from engines.codec_lm.decoding import Decoder
from engines.codec_lm.edges import Edges
from engines.codec_lm.parts import CodecLm
from engines.codec_lm.prefill import Prompt
from engines.codec_lm.prompts import Turn
from engines.errors import BadAudio
from engines.runtime.transfers import AsyncHostCopy

REDRAW_STEP = 1_000_003  # difference between the seeds of a group's attempts
NEW_WORDS_MIN_S = 1.0  # shortest speech for which a reference must leave room
RESTING = 4  # rows that stay allocated while no request runs


@dataclass(frozen=True, slots=True, eq=False)
class InFlightStep:
    """A decode step whose codes are being copied to the host."""

    rows: Sequence[tuple[ActiveRequest, int]]  # each with its generation at that time
    codes: AsyncHostCopy


class RowTable:
    """Requests by slot of the decoder; active ones fill the first slots."""

    def __init__(self, model: CodecLm, decoder: Decoder, prefixes: PrefixStore) -> None:
        """Create an empty table; `prefixes` caches keys and values of references."""
        self._model, self._decoder, self._prefixes = model, decoder, prefixes
        self._rows: list[ActiveRequest] = []  # by slot
        # Prompts that the next step reads, and their first positions.
        self._unread: list[tuple[ActiveRequest, Tensor, int]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[ActiveRequest]:
        return iter(self._rows)

    def add(self, request: ActiveRequest) -> GroupAudio:
        """Give the request's group a free slot: prefill its reference now, and its text with the next step.

        Raises BadAudio if reference and text are too long, torch.OutOfMemoryError if the device has no memory for the row.
        """
        model, state, slot = self._model, self._decoder.state, len(self._rows)
        state.allocate(slot + 1)
        start = self._prefill_reference(request, slot)
        words = self._words(request, start)
        if start + len(words) + NEW_WORDS_MIN_S * model.frames.step_rate > state.length:
            raise BadAudio("the reference and the text are too long together; select a shorter part of the clip")
        request.position = start + len(words) - 1
        seed = request.sampling.seed + request.group_index + REDRAW_STEP * request.redraws
        state.start_row(slot, words[-1], request.position, replace(request.sampling, seed=seed))
        request.generation += 1
        edges = Edges(model.frames.sample_rate, request.reference.level_rms, request.group.pause_before)
        format, voice = model.frames, request.prompt.voice_codes(_turn_of(request))
        first_size = format.first_packet(len(self._rows))
        request.sound = GroupAudio(request, request.group, edges, format, voice, first_size)
        self._rows.append(request)
        self._unread.append((request, words[:-1], start))
        return request.sound

    def _words(self, request: ActiveRequest, start: int) -> Tensor:
        """Embed the request's group from position `start` on, after the previous group if there is room for both."""
        frames, prompt, turn = self._model.frames, request.prompt, Turn(request.group.text)
        reference = _turn_of(request)
        if request.previous_turn is not None:
            words = prompt.rest(reference, [request.previous_turn, turn])
            if start + len(words) + int(request.group.ample_s * frames.step_rate) <= self._decoder.state.length:
                return words
        return prompt.rest(reference, [turn])

    def _prefill_reference(self, request: ActiveRequest, slot: int) -> int:
        """Write the reference's keys and values into the slot, computed or cached; return its length in positions."""
        if not request.prompt.reads_reference:
            return 0
        state, reference = self._decoder.state, request.reference
        kept = self._prefixes.get(reference.digest)
        if kept is None:
            x = request.prompt.prefix(reference.turn)
            if not len(x):
                return 0
            if len(x) > state.length:
                raise BadAudio("the reference is too long for this checkpoint; select a shorter part of the clip")
            self._decoder.prefiller.prefill([Prompt(slot, x, 0)])
            self._prefixes.put(reference.digest, state.cache[:, :, slot, :, : len(x)].clone())
            return len(x)
        state.cache[:, :, slot, :, : kept.shape[3]] = kept
        return kept.shape[3]

    def read(self) -> None:
        """Prefill the prompts of all rows that are new since the last step."""
        self._decoder.prefiller.prefill(
            [Prompt(self._rows.index(request), words, start) for request, words, start in self._unread]
        )
        self._unread.clear()

    def step(self, active: Sequence[ActiveRequest]) -> InFlightStep | None:
        """Start a decode step of these requests' rows; return None without any."""
        if not active:
            return None
        self.read()
        self._move_to_front(active)
        codes = self._decoder.step(len(active), max(request.position for request in active))
        for request in active:
            request.position += 1
        return InFlightStep([(request, request.generation) for request in active], codes)

    def _move_to_front(self, active: Sequence[ActiveRequest]) -> None:
        """Swap rows so that these requests fill the first slots."""
        for slot, request in enumerate(active):
            other = self._rows.index(request)
            if other != slot:
                self._decoder.state.swap(slot, other)
                self._rows[slot], self._rows[other] = self._rows[other], self._rows[slot]

    def remove(self, request: ActiveRequest) -> None:
        """Free a request's slot; the last row moves into it."""
        slot, last = self._rows.index(request), len(self._rows) - 1
        if slot != last:
            self._decoder.state.move(last, slot)
            self._rows[slot] = self._rows[last]
        self._rows.pop()
        self._unread = [unread for unread in self._unread if unread[0] is not request]
        request.sound = None

    def release_idle(self) -> None:
        """Free the memory of most rows while no request is active."""
        self._decoder.state.release(RESTING)


def _turn_of(request: ActiveRequest) -> Turn:
    """Return the reference's turn in the prompt, which is empty if the request does not read it."""
    return request.reference.turn if request.prompt.reads_reference else Turn("")
