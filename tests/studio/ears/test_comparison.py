"""Faults of takes that the ears find, and differences of spelling that are none."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engines.types import Audio
from studio.ears.boundaries import place_phones
from studio.ears.comparison import compare, content
from studio.ears.dictionary import known, pronounce
from studio.ears.division import divide, tokens
from studio.ears.listening import HeardPassage, listen, transcribe, without_loop
from studio.ears.models import Models
from studio.ears.phones import distance, matches
from studio.ears.placing import align
from studio.ears.sound import PASSAGE_MAX_S, passages
from studio.ears.vocabulary import Comparison, HeardWord, TypedWord
from studio.script.checks.wording import typed_words
from training.references import RATE_HZ, VOICES, read_references

NATURAL = Path(__file__).parents[3] / "assets" / "voices" / "natural"
MODELS = Models()


def clip(name: str) -> tuple[Audio, str]:
    samples, rate = soundfile.read(NATURAL / f"{name}.flac", dtype="float32")
    return Audio(samples, rate), (NATURAL / f"{name}.txt").read_text("utf-8").strip()


def heard(audio: Audio, text: str) -> Comparison:
    return compare(MODELS.recogniser, audio, typed_words(text))


def without(audio: Audio, start_s: float, end_s: float) -> Audio:
    start, end = (round(at_s * audio.sample_rate) for at_s in (start_s, end_s))
    return Audio(np.concatenate([audio.samples[:start], audio.samples[end:]]), audio.sample_rate)


def within(audio: Audio, start_s: float, end_s: float) -> Audio:
    start, end = (round(max(0.0, at_s) * audio.sample_rate) for at_s in (start_s, end_s))
    return Audio(audio.samples[start:end], audio.sample_rate)


@pytest.mark.parametrize("name", ["natural-03", "natural-06"])
def test_a_line_that_is_said_is_complete(name: str) -> None:
    found = heard(*clip(name))
    assert found.complete and len(found.kept) == len(found.words)


def test_a_word_that_is_cut_out_is_missing() -> None:
    audio, text = clip("natural-03")
    word = heard(audio, text).words[8].word
    found = heard(without(audio, word.start_s, word.end_s), text)
    assert word.word == "hour" and 8 in {*found.missing, *found.misheard}


@pytest.mark.parametrize(
    ("name", "place", "common"),
    [("natural-00", 4, "that"), ("natural-04", 11, "the"), ("natural-05", 9, "and"), ("natural-09", 7, "a")],
)
def test_a_common_word_that_is_cut_out_is_missing(name: str, place: int, common: str) -> None:
    audio, text = clip(name)
    word = heard(audio, text).words[place].word
    found = heard(without(audio, word.start_s, word.end_s), text)
    assert word.word == common and found.missing == (place,)


def test_a_word_that_is_cut_out_is_missing_although_the_recogniser_is_unsure() -> None:
    audio, text = clip("natural-06")
    word = heard(audio, text).words[9].word
    found = heard(without(audio, word.start_s, word.end_s), text)
    assert word.word == "rose" and {8, 9} & {*found.missing, *found.misheard}


@pytest.mark.parametrize(
    ("name", "place", "respelled"), [("natural-04", 13, ("bef", "ore")), ("natural-07", 8, ("wh", "ile"))]
)
def test_a_word_before_a_respelled_name_is_not_missing(name: str, place: int, respelled: tuple[str, ...]) -> None:
    audio, text = clip(name)
    words = list(typed_words(text))
    words[place] = TypedWord("Xy'zor", respelled)
    assert compare(MODELS.recogniser, audio, words).words[place - 1].verdict == "kept"


def test_a_name_of_which_one_respelled_part_is_not_heard_is_not_missing() -> None:
    audio, text = clip("natural-03")
    words = list(typed_words(text))
    words[4] = TypedWord("Station'a", ("station", "uh"))
    assert compare(MODELS.recogniser, audio, words).words[4].verdict == "unsure"


def test_a_last_word_of_which_almost_nothing_is_left_is_misheard_if_a_similar_word_is_heard() -> None:
    samples, text = read_references(VOICES / "heldout")["slt-high"]
    audio = Audio(samples, RATE_HZ)
    word = heard(audio, text).words[-1].word
    cut = without(audio, word.start_s + 0.15 * (word.end_s - word.start_s), word.end_s)
    last = heard(cut, text).words[-1]
    assert (word.word, last.heard, last.verdict) == ("canal", "canoe.", "misheard")


@pytest.mark.parametrize(
    ("name", "last", "spoken"),
    [
        ("natural-03", "station", {"kept"}),
        ("natural-03", "train", {"kept", "unsure"}),
        ("natural-06", "rose", {"unsure"}),
    ],
)
def test_a_short_last_sentence_is_missing_only_if_nothing_is_spoken_there(
    name: str, last: str, spoken: set[str]
) -> None:
    audio, text = clip(name)
    word = next(finding.word for finding in heard(audio, text).words if finding.word.word == last)
    gap = np.zeros(audio.sample_rate // 5, np.float32)
    again = within(audio, word.start_s - 0.05, word.end_s + 0.08).samples
    with_word, without_word = (
        heard(Audio(np.concatenate([audio.samples, *end]), audio.sample_rate), f"{text} {last.capitalize()}!")
        for end in ([gap, again, gap], [gap])
    )
    assert with_word.words[-1].verdict in spoken
    assert without_word.words[-1].verdict == "missing"


def test_numbers_that_the_recogniser_writes_as_digits_are_not_missing() -> None:
    audio, text = clip("natural-03")
    words = typed_words(text)
    recogniser = MODELS.recogniser
    (passage,) = listen(recogniser, audio)
    written = tuple(replace(word, text="100") if word.text == "an" else word for word in passage.words)
    (part,) = divide(
        [*words[:7], TypedWord("hundred", ("hundred",)), *words[8:]], [HeardPassage(passage.encoded, written)]
    )
    assert 7 not in content(words, part) and 8 in content(words, part)


def test_another_word_in_the_place_of_a_word_is_misheard() -> None:
    audio, text = clip("natural-03")
    found = heard(audio, text.replace("station", "cathedral"))
    assert [found.words[place].word.word for place in found.misheard] == ["cathedral"]


def test_recognised_words_that_the_line_does_not_contain_are_reported_as_added() -> None:
    audio, text = clip("natural-03")
    found = heard(audio, text.replace(" almost an hour", ""))
    assert found.added and not found.missing


def test_names_numbers_and_compounds_are_compared_by_sound() -> None:
    audio, text = clip("natural-03")
    written = text.replace("almost an hour", "almostt an our").replace("station", "stayshun")
    assert heard(audio, written).complete


@pytest.mark.parametrize("sign", "'’‘ʼʹ′`´＇")
def test_the_recogniser_scores_words_with_a_plain_apostrophe(sign: str) -> None:
    (word,) = tokens([TypedWord(f"Didn{sign}t", ("didn't",), ".")])
    assert word.text == "Didn't."


def test_a_word_by_itself_is_not_a_repeated_or_another_word() -> None:
    audio, text = clip("natural-03")
    found = heard(audio, text)
    wrong = []
    for word in (one.word for one in found.words if one.word.word in {"waited", "hour", "went", "without", "stopping"}):
        alone = heard(within(audio, word.start_s - 0.03, word.end_s + 0.08), f"{word.word}!")
        if alone.added or alone.misheard or alone.missing:
            wrong.append(word.word)
    assert not wrong


def test_sounds_and_repeated_words_that_are_not_heard_are_a_doubt() -> None:
    audio, text = clip("natural-03")
    for line in (f"Shh. {text}", text.replace("hour", "hour, hour"), f"Ha! {text}"):
        found = heard(audio, line)
        assert not found.missing and not found.misheard and found.unsure, line


def test_words_that_the_recogniser_repeats_faster_than_anybody_speaks_are_heard_once() -> None:
    words = [HeardWord(text=text, start_s=0.0, end_s=0.2, confidence=0.9) for text in ("Left", "flank", "with", "me.")]
    assert [word.text for word in without_loop((*words, *words), 1.2)] == ["Left", "flank", "with", "me."]
    assert len(without_loop((*words, *words), 3.0)) == 8
    assert len(without_loop(tuple(words), 0.4)) == 4


def test_a_transcript_has_capitals_punctuation_and_times() -> None:
    audio, text = clip("natural-03")
    found = transcribe(MODELS, audio)
    assert found.text.replace(",", "") == text.replace(",", "")
    starts = [word.start_s for word in found.words]
    assert starts == sorted(starts) and starts[0] >= 0 and found.words[-1].end_s <= audio.duration_s + 0.001


@pytest.mark.long
def test_long_audio_is_heard_in_passages() -> None:
    audio, text = clip("natural-03")
    long = Audio(np.tile(np.pad(audio.samples, (0, audio.sample_rate // 2)), 7), audio.sample_rate)
    assert long.duration_s > PASSAGE_MAX_S and len(passages(long)) > 1
    words = align(MODELS, long, typed_words(" ".join([text] * 7)))
    firsts = [word.start_s for word in words[:: len(text.split())]]
    period = audio.duration_s + 0.5
    assert np.abs(np.array(firsts) - firsts[0] - period * np.arange(7)).max() < 0.1


def test_equal_sounds_have_no_distance_whatever_their_spelling() -> None:
    assert distance(pronounce("through"), pronounce("threw")) == 0
    assert pronounce("chickens") == ("CH", "IH", "K", "AH", "N", "Z")


def test_words_at_both_ends_of_the_dictionary_are_found_and_others_are_not() -> None:
    assert all(map(known, ("'cause", "aahing", "zygotic", "zymurgy", "zyrian")))
    assert not any(map(known, ("aaaa", "lighthoose", "zzzz", "DEFAULT")))


def test_equal_words_are_matched_one_by_one() -> None:
    found = matches([pronounce("so"), pronounce("so")], [pronounce("so"), pronounce("sew")])
    assert found == [(0, 1, 0, 1, 0.0), (1, 2, 1, 2, 0.0)]


def test_a_line_is_scored_once_on_a_passage() -> None:
    audio, text = clip("natural-06")
    encoded = MODELS.recogniser.encode(passages(audio)[0])
    first, again = (MODELS.recogniser.score(encoded, [text.split()])[0] for _ in range(2))
    assert first is again


def test_split_and_joined_words_are_matched_together() -> None:
    found = matches([pronounce("lighthouse"), pronounce("now")], [pronounce(w) for w in ("light", "house", "now")])
    assert [(one.start, one.end, one.heard_start, one.heard_end) for one in found] == [(0, 1, 0, 2), (1, 2, 2, 3)]


def test_phones_fill_their_word_in_order() -> None:
    phones = place_phones(("S", "AY", "T"), 1.0, 1.5)
    assert (phones[0].start_s, phones[-1].end_s) == (1.0, 1.5)
    assert all(one.end_s == two.start_s for one, two in pairwise(phones))
