"""Words of a line: how they are written, how they sound, where they are heard."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from engines.audio import speech_span
from engines.types import Audio
from studio.ears import placing
from studio.ears.comparison import compare
from studio.ears.dictionary import pronounce
from studio.ears.models import Models
from studio.ears.vocabulary import TimedWord
from studio.script.checks.wording import is_bark, typed_words
from studio.script.checks.words import HeardLine, check_edges, check_words, hear_line

VOICES = Path(__file__).parents[4] / "assets" / "voices"
NAMES = (
    "../../tests/studio/script/checks/flite",
    "references/corin",
    "heldout/rms-deep",
    "heldout/slt-high",
    "heldout/awb-plain",
)
GAP_S = 0.12


def clip(name: str) -> tuple[Audio, str]:
    samples, rate = soundfile.read(VOICES / f"{name}.flac", dtype="float32")
    return Audio(samples, rate), (VOICES / f"{name}.txt").read_text("utf-8").strip()


def part(audio: Audio, start_s: float, end_s: float) -> Audio:
    return Audio(
        audio.samples[round(start_s * audio.sample_rate) : round(end_s * audio.sample_rate)], audio.sample_rate
    )


def joined(*parts: Audio, gap_s: float = 0.0) -> Audio:
    gap = np.zeros(round(gap_s * parts[0].sample_rate), np.float32)
    return Audio(np.concatenate([piece for one in parts for piece in (one.samples, gap)]), parts[0].sample_rate)


MODELS = Models()


def align(audio: Audio, text: str) -> tuple[TimedWord, ...]:
    return placing.align(MODELS, audio, typed_words(text))


def heard(audio: Audio, text: str) -> HeardLine:
    return hear_line(compare(MODELS.recogniser, audio, typed_words(text)), audio)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("He lost 67% of it.", {"67%": "sixty seven percent"}),
        ("It costs $3.50, sir!", {"$3.50": "three dollars and fifty cents", "sir": "sir"}),
        ("A well-known “Kha'Zix”.", {"well-known": "well known", "Kha'Zix": "kha'zix"}),
        ("Come on 12 May.", {"12 May": "may twelfth"}),
        ("(excited) Go 🙂 now", {"Go": "go", "now": "now"}),
    ],
)
def test_a_typed_word_has_the_words_that_are_spoken_for_it(text: str, words: dict[str, str]) -> None:
    found = {word.typed: " ".join(word.spoken) for word in typed_words(text)}
    assert words.items() <= found.items()
    assert "(excited)" not in found and "🙂" not in " ".join(found)


def test_pauses_and_signs_are_no_words() -> None:
    assert [word.typed for word in typed_words("[pause:1s] Go. [pause:300ms] Now — run!")] == ["Go", "Now", "run"]
    assert typed_words("...") == typed_words("") == ()


def test_a_name_gets_a_rough_pronunciation() -> None:
    assert pronounce("zhonya") and pronounce("kha'zix")[-1] == "S"
    assert pronounce("make") == ("M", "EY", "K") and pronounce("tannith") == ("T", "AE", "N", "IH", "TH")
    assert pronounce("你好") == () == pronounce("'")


def test_boundaries_of_joined_pieces_are_found_within_40_ms() -> None:
    """Where the speech of each piece begins and ends is known from its level alone."""
    pieces, texts = zip(*(clip(name) for name in NAMES[2:]), strict=True)
    spans = [speech_span(piece.samples, piece.sample_rate) for piece in pieces]
    spoken = [Audio(p.samples[a:b], p.sample_rate) for p, (a, b) in zip(pieces, spans, strict=True)]
    words, errors, at_s, place = align(joined(*spoken, gap_s=GAP_S), " ".join(texts)), [], 0.0, 0
    for piece, text in zip(spoken, texts, strict=True):
        last = place + len(text.split()) - 1
        errors += [abs(words[place].start_s - at_s), abs(words[last].end_s - at_s - piece.duration_s)]
        at_s, place = at_s + piece.duration_s + GAP_S, last + 1
    assert place == len(words) and np.median(errors) <= 0.04


def test_a_word_has_its_phones_one_after_another() -> None:
    audio, said = clip(NAMES[0])
    words = align(audio, said)
    assert [phone.phone for phone in words[0].phones] == ["W", "EH", "L", "K", "AH", "M"]
    for word in words:
        assert word.phones[0].start_s == word.start_s and word.phones[-1].end_s == word.end_s


def test_a_name_the_dictionary_lacks_is_placed_between_its_neighbours() -> None:
    audio, said = clip(NAMES[0])
    words = align(audio, said.replace("studio", "stoodeeo"))
    assert [word.word for word in words][3] == "stoodeeo"
    assert words[3].start_s == pytest.approx(align(audio, said)[3].start_s, abs=0.1)


@pytest.mark.parametrize("text", ["", "你好", "word " * 400])
def test_what_cannot_be_aligned_has_no_words(text: str) -> None:
    audio, _ = clip(NAMES[0])
    assert align(audio, text) == ()
    assert align(Audio(np.zeros(0, np.float32), 24_000), "Hello") == ()


def test_a_line_that_is_said_is_heard_whole() -> None:
    audio, said = clip(NAMES[0])
    line = heard(audio, said)
    assert check_words(line).outcome == check_edges(line).outcome == "ok"


def test_words_that_are_not_said_are_named() -> None:
    audio, said = clip(NAMES[0])
    wrong = said.replace("studio", "cathedral")
    check = check_words(heard(audio, wrong))
    assert check.outcome == "fail" and "cathedral" in check.message


def test_a_lost_last_word_is_noticed() -> None:
    audio, said = clip(NAMES[0])
    last = align(audio, said)[-1]
    check = check_edges(heard(part(audio, 0, last.start_s), said))
    assert check.outcome != "ok" and f'"{last.word}"' in check.message


def test_speech_beside_the_words_of_the_line_is_noticed() -> None:
    audio, said = clip(NAMES[0])
    first = said.split(".")[0]
    line = heard(audio, first)
    assert line.extra_s > 1 and check_words(line).outcome == "fail"


def test_lines_of_one_to_three_words_are_barks() -> None:
    assert is_bark("Stop right there!") and not is_bark("Stop right over there!") and not is_bark("...")
