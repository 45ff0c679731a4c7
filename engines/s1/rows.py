"""The rows of S1's batch: which request has which slot, and what its prompt put into the KV cache."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from torch import Tensor

from engines.errors import BadAudio
from engines.runtime.transfers import Arriving
from engines.s1.active_request import GroupSound, S1ActiveRequest
from engines.s1.caches import PrefixStore
from engines.s1.decoding import Decoder
from engines.s1.edges import Edges
from engines.s1.model import S1Model
from engines.s1.prefill import Prompt
from engines.s1.prompt import Turn, embed
from engines.s1.references import S1Reference

REDRAW_STEP = 1_000_003  # between the seeds of one group's draws
NEW_WORDS_MIN_S = 1.0  # room that a reference must leave
RESTING = 4  # rows whose memory is held on for those who come next


@dataclass(frozen=True, slots=True, eq=False)
class InFlightStep:
    """A decode step whose frames are on their way to the host."""

    rows: Sequence[tuple[S1ActiveRequest, int]]  # with the generation it was drawn for
    frames: Arriving


class RowTable:
    """Requests by slot of the decoder; those in work fill the first slots."""

    def __init__(self, model: S1Model, decoder: Decoder, prefixes: PrefixStore) -> None:
        """`prefixes` keeps what the network computed of references."""
        self._model, self._decoder, self._prefixes = model, decoder, prefixes
        self._rows: list[S1ActiveRequest] = []  # by slot
        self._unread: list[
            tuple[S1ActiveRequest, Tensor, int]
        ] = []  # words that the next step reads, and where they begin

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[S1ActiveRequest]:
        return iter(self._rows)

    def add(self, request: S1ActiveRequest) -> GroupSound:
        """Give the request's group a free slot: its reference is put there, its words with the next step.

        Raises BadAudio where there is no room for all of it, torch.OutOfMemoryError where the device has none for the row.
        """
        model, state, slot = self._model, self._decoder.state, len(self._rows)
        state.take(slot + 1)
        start = self._prefill_reference(request.reference, slot)
        turns = [*([] if request.previous_turn is None else [request.previous_turn]), Turn(request.group.text)]
        words = embed(model.network, model.tokenizer, turns, opening=False)
        ample = int(request.group.ample_s * model.codec.config.frame_rate)
        if request.previous_turn is not None and start + len(words) + ample > state.length:
            words = embed(model.network, model.tokenizer, turns[-1:], opening=False)
        if start + len(words) + NEW_WORDS_MIN_S * model.codec.config.frame_rate > state.length:
            raise BadAudio("the reference and the text are too long together; select a shorter part of the clip")
        request.position = start + len(words) - 1
        seed = request.sampling.seed + request.group_index + REDRAW_STEP * request.redraws
        state.start_row(slot, words[-1], request.position, replace(request.sampling, seed=seed))
        request.generation += 1
        edges = Edges(model.codec.config.sample_rate, request.reference.level_rms, request.group.pause_before)
        request.sound = GroupSound(request, request.group, edges)
        self._rows.append(request)
        self._unread.append((request, words[:-1], start))
        return request.sound

    def _prefill_reference(self, reference: S1Reference, slot: int) -> int:
        """Put the reference's keys and values into the slot, computed or kept; returns its length in positions."""
        state = self._decoder.state
        kept = self._prefixes.get(reference.digest)
        if kept is None:
            x = embed(self._model.network, self._model.tokenizer, [reference.turn], opening=True)
            if len(x) > state.length:
                raise BadAudio("the reference is too long for this checkpoint; select a shorter part of the clip")
            self._decoder.prefiller.prefill([Prompt(slot, x, 0)])
            self._prefixes.put(reference.digest, state.cache[:, :, slot, :, : len(x)].clone())
            return len(x)
        state.cache[:, :, slot, :, : kept.shape[3]] = kept
        return kept.shape[3]

    def read(self) -> None:
        """Prefill the words of rows that are new: of all who came since the last step at once."""
        self._decoder.prefiller.prefill(
            [Prompt(self._rows.index(request), words, start) for request, words, start in self._unread]
        )
        self._unread.clear()

    def step(self, active: Sequence[S1ActiveRequest]) -> InFlightStep | None:
        """Begin a decode step of these requests' rows; None without any."""
        if not active:
            return None
        self.read()
        self._move_to_front(active)
        frames = self._decoder.step(len(active), max(request.position for request in active))
        for request in active:
            request.position += 1
        return InFlightStep([(request, request.generation) for request in active], frames)

    def _move_to_front(self, active: Sequence[S1ActiveRequest]) -> None:
        """Swap rows so that these fill the first slots."""
        for slot, request in enumerate(active):
            other = self._rows.index(request)
            if other != slot:
                self._decoder.state.swap(slot, other)
                self._rows[slot], self._rows[other] = self._rows[other], self._rows[slot]

    def remove(self, request: S1ActiveRequest) -> None:
        """Free a request's slot; the last row takes its place."""
        slot, last = self._rows.index(request), len(self._rows) - 1
        if slot != last:
            self._decoder.state.move(last, slot)
            self._rows[slot] = self._rows[last]
        self._rows.pop()
        self._unread = [unread for unread in self._unread if unread[0] is not request]
        request.sound = None

    def rest(self) -> None:
        """While nothing is in work, hold memory for few rows."""
        self._decoder.state.give_back(RESTING)
