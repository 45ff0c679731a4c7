"""Let the language model speak held-out lines during the training, and measure the letter error rate."""

import copy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from training.s1.codec import ctc, quantization, weights
from training.s1.language import prompts
from training.s1.language.dual_ar import LanguageModel
from training.s1.language.options import LanguageOptions
from training.s1.language.sampling import Sampler, sample
from training.s1.language.tokens import Tokens


def speak_held_out(
    model: LanguageModel, tokens: Tokens, speakers: list[NDArray[np.int64]], options: LanguageOptions
) -> tuple[float, float]:
    """Speak held-out lines, and return their letter error rate and relative length.

    Each line is spoken with another utterance of its speaker as the reference. The codec's CTC head reads the letters. The
    length is the number of generated frames for each original frame. `speakers` has the utterances of each speaker.
    """
    chosen = _pairs(tokens, speakers, options)
    if not chosen:
        return 1.0, 0.0
    books = model.shape.num_codebooks
    wanted = [
        prompts.prompt(tokens.texts[line], [(tokens.texts[reference], tokens.codes_of(reference))], books)
        for reference, line in chosen
    ]
    made = sample(Sampler(model, seed=1), wanted, options.spoken_frames)
    codec = weights.load(options.codec)
    found = letters_of(codec, copy.deepcopy(tokens.head).cpu(), made)
    errors = ctc.letter_error_rate(found, [tokens.letters[line] for _, line in chosen])
    return errors, sum(map(len, made)) / float(sum(tokens.counts[line] for _, line in chosen))


def _pairs(tokens: Tokens, speakers: list[NDArray[np.int64]], options: LanguageOptions) -> list[tuple[int, int]]:
    """Return pairs of a reference and a line, which are neighbours of one speaker. Lines are well below the maximum length."""
    pairs = [(int(own[i]), int(own[i + 1])) for i in range(0, 20, 2) for own in speakers if len(own) > i + 1]
    short = [pair for pair in pairs if tokens.counts[pair[1]] < options.spoken_frames * 0.7]
    return short[: options.spoken]


def letters_of(codec: Any, head: ctc.CTCHead, made: list[NDArray[np.int16]]) -> list[list[int]]:
    """Return the letters that the head recognizes in the semantic codes of spoken lines."""
    found: list[list[int]] = []
    for codes in made:
        if len(codes) == 0:
            found.append([])
            continue
        semantic = torch.from_numpy(codes[None, :, 0].astype(np.int64))
        found += ctc.best_path(head(quantization.code_vectors(codec, semantic)), [len(codes)])
    return found
