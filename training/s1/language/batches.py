"""Training items for the dual-AR model: one to three utterances of a speaker in a row, like references and a line."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from training.s1.language import prompts
from training.s1.language.tokens import Tokens

ROUND, LONGEST = 32, 768  # positions
COUNTS, CHANCES = (1, 2, 3), (0.12, 0.68, 0.2)
EARLIER_WEIGHT = 0.5  # weight of the loss on utterances that serve as references
AHEAD = 3  # number of letters that the middle states predict: the present one and the next two
NOISE = 0.05  # share of the input codes that are drawn at random, because sampled codes have errors too


@dataclass(frozen=True, slots=True)
class TokenBatch:
    rows: Tensor  # (b, n, 1 + codebooks) int64
    places: Tensor  # (m,) positions in the flattened batch whose next token is learned
    labels: Tensor  # (m,) the next token
    weights: Tensor  # (m,) 0 where padded
    letters: Tensor  # (m, AHEAD) classes of the letters at the labelled frame; -1 if the position is no frame
    fast_places: Tensor  # (f,) positions whose next frame is learned code by code
    fast_codes: Tensor  # (f, codebooks)


@dataclass(frozen=True, slots=True)
class TokenItem:
    parts: tuple[int, ...]  # numbers of utterances
    size: int  # positions


def draw_items(tokens: Tokens, groups: list[NDArray[np.int64]], rng: np.random.Generator) -> Iterator[TokenItem]:
    """Yield every utterance once, in a new order and joined with new neighbours."""
    sizes = (tokens.counts + 2 + np.array([len(text) for text in tokens.texts])).tolist()
    wishes = iter(rng.choice(COUNTS, sum(map(len, groups)), p=CHANCES).tolist())
    for group in rng.permutation(len(groups)):
        order = rng.permutation(groups[group]).tolist()
        while order:
            wanted, total = next(wishes), 1
            chosen: list[int] = []
            while order and len(chosen) < wanted and total + sizes[order[-1]] <= LONGEST:
                chosen.append(order.pop())
                total += sizes[chosen[-1]]
            if not chosen:
                order.pop()
                continue
            yield TokenItem(tuple(chosen), total)


def by_speaker(tokens: Tokens, chosen: set[int]) -> list[NDArray[np.int64]]:
    return [np.flatnonzero(tokens.speakers == speaker) for speaker in sorted(chosen)]


class BatchBuilder:
    """Lays items out as batches. In a batch, the model learns all codes of `fast` frames.

    `rooms` is the share of items whose references are as if recorded in a room.
    """

    def __init__(self, tokens: Tokens, fast: int, noise: float = NOISE, rooms: float = 0.0) -> None:
        self.tokens, self.fast, self.noise, self.rooms = tokens, fast, noise, rooms
        self.books = tokens.codes.shape[1]

    def build(self, items: list[TokenItem], length: int, rng: np.random.Generator) -> TokenBatch:
        rows = np.zeros((len(items), length, 1 + self.books), np.int16)
        rows[:, :, 0] = prompts.BYTES + prompts.SPECIAL.index("<|pad|>")
        weights = np.zeros((len(items), length), np.float32)
        letters = np.full((len(items), length, AHEAD), -1, np.int16)
        in_rooms = rng.random(len(items)) < self.rooms if self.rooms else np.zeros(len(items), bool)
        for number, item in enumerate(items):
            self._lay(item, bool(in_rooms[number]), rows[number], weights[number], letters[number])
        flat, flat_letters = rows.reshape(-1, 1 + self.books), letters.reshape(-1, AHEAD)
        labelled = np.flatnonzero(weights)  # positions to be predicted, each from the previous one
        spoken = labelled[flat[labelled, 0] != prompts.IM_END]
        drawn = rng.choice(spoken, self.fast, replace=len(spoken) < self.fast)
        padding = (0, -len(labelled) % 512)
        spelled = np.pad(flat_letters[labelled], (padding, (0, 0)), constant_values=-1)
        fast_codes = flat[drawn, 1:].astype(np.int64)
        return TokenBatch(
            rows=torch.from_numpy(self._disturbed(rows, rng).astype(np.int64)),
            places=torch.from_numpy(np.pad(labelled - 1, padding)),
            labels=torch.from_numpy(np.pad(flat[labelled, 0], padding).astype(np.int64)),
            weights=torch.from_numpy(np.pad(weights.reshape(-1)[labelled], padding)),
            letters=torch.from_numpy(spelled.astype(np.int64)),
            fast_places=torch.from_numpy(drawn - 1),
            fast_codes=torch.from_numpy(fast_codes),
        )

    def _lay(
        self,
        item: TokenItem,
        in_room: bool,
        rows: NDArray[np.int16],
        weights: NDArray[np.float32],
        letters: NDArray[np.int16],
    ) -> None:
        """Write an item into its row. With `in_room`, only the last utterance is learned; the others are as recorded."""
        rows[:1] = prompts.start_row(self.books)
        place = 1
        for utterance in item.parts:
            start, count = int(self.tokens.starts[utterance]), int(self.tokens.counts[utterance])
            text = prompts.text_rows(self.tokens.texts[utterance], self.books)
            last = utterance == item.parts[-1]
            source = self.tokens.recorded if in_room and not last else self.tokens.codes
            codes = prompts.code_rows(source[start : start + count])
            rows[place : place + len(text)] = text
            place += len(text)
            rows[place : place + len(codes)] = codes
            weights[place : place + len(codes)] = 1.0 if last else 0.0 if in_room else EARLIER_WEIGHT
            reached = self.tokens.reached[start : start + count].astype(np.int64)
            spelled = np.array([0, *self.tokens.letters[utterance], *([0] * AHEAD)])
            for ahead in range(AHEAD):
                letters[place : place + count, ahead] = spelled[np.minimum(reached + ahead, len(spelled) - 1)]
            place += len(codes)

    def _disturbed(self, rows: NDArray[np.int16], rng: np.random.Generator) -> NDArray[np.int16]:
        """Replace some codes at random, as a sampler might have drawn them. Text and special tokens do not change."""
        if self.noise == 0:
            return rows
        rows = rows.copy()
        spoken = rows[..., :1] >= prompts.SEMANTIC
        wrong = (rng.random(rows[..., 1:].shape, np.float32) < self.noise) & spoken
        rows[..., 1:][wrong] = rng.integers(0, prompts.SEMANTIC_CODES, int(wrong.sum()))
        rows[..., 0] = np.where(spoken[..., 0], rows[..., 1] + prompts.SEMANTIC, rows[..., 0])
        return rows


def stream(
    builder: BatchBuilder, groups: list[NDArray[np.int64]], positions: int, rng: np.random.Generator
) -> Iterator[TokenBatch]:
    """Yield an endless sequence of batches of about `positions` positions. Leftover items wait for the next round."""
    waiting: dict[int, list[TokenItem]] = {}
    while True:
        full: list[tuple[int, list[TokenItem]]] = []
        for item in draw_items(builder.tokens, groups, rng):
            length = (item.size + ROUND - 1) // ROUND * ROUND
            rows = waiting.setdefault(length, [])
            rows.append(item)
            if len(rows) >= max(1, positions // length):
                full.append((length, waiting.pop(length)))
        for number in rng.permutation(len(full)):
            length, items = full[number]
            yield builder.build(items, length, rng)
