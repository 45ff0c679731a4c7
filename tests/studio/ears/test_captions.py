"""Heard words as segments, and as files of subtitles."""

from studio.ears.captions import captions, segments, srt, vtt
from studio.ears.vocabulary import HeardWord


def words(text: str, each_s: float = 0.5, start_s: float = 0.0) -> list[HeardWord]:
    return [
        HeardWord(text=word, start_s=start_s + at * each_s, end_s=start_s + (at + 1) * each_s, confidence=1.0)
        for at, word in enumerate(text.split())
    ]


def texts(given: list[HeardWord]) -> list[str]:
    return [one.text for one in segments(given)]


def test_a_segment_ends_with_its_sentence() -> None:
    assert texts(words("Who goes there? Only me. And you")) == ["Who goes there?", "Only me.", "And you"]


def test_a_long_pause_ends_a_segment() -> None:
    assert texts([*words("wait for"), *words("the bell", start_s=2.1)]) == ["wait for", "the bell"]
    assert texts([*words("wait for"), *words("the bell", start_s=1.9)]) == ["wait for the bell"]


def test_a_segment_is_short_enough_to_be_read() -> None:
    assert [len(text.split()) for text in texts(words("word " * 20))] == [14, 6]  # 7 s
    cues = srt(captions(words("anticipation " * 20, each_s=0.1))).strip().split("\n\n")
    assert [[len(line) for line in cue.split("\n")[2:]] for cue in cues] == [[38, 38]] * 3 + [[25]]


def test_an_abbreviation_does_not_end_a_segment() -> None:
    assert texts(words("Mr. Vale left at 9 a.m. sharp. Go!")) == ["Mr. Vale left at 9 a.m. sharp.", "Go!"]


def test_a_word_without_a_duration_is_shown() -> None:
    (only,) = segments([HeardWord(text="Go!", start_s=1.0, end_s=1.0, confidence=1.0)])
    assert only.end_s > only.start_s


def test_no_words_give_no_captions() -> None:
    assert (segments([]), srt(captions([])), vtt(captions([]))) == ([], "", "WEBVTT\n\n")


def test_captions_have_the_form_of_their_format() -> None:
    given = [*words("Stay here.", start_s=3600), *words("Q&A <ends>", start_s=3661.5)]
    assert srt(captions(given)) == (
        "1\n01:00:00,000 --> 01:00:01,000\nStay here.\n\n2\n01:01:01,500 --> 01:01:02,500\nQ&A <ends>\n\n"
    )
    assert vtt(captions(given)) == (
        "WEBVTT\n\n01:00:00.000 --> 01:00:01.000\nStay here.\n\n01:01:01.500 --> 01:01:02.500\nQ&amp;A &lt;ends&gt;\n\n"
    )
