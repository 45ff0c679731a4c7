"""Passages of a text: voices and rates."""

import pytest

from engines.text import VoicePassage, open_tags, parse, passages, rate_of


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One voice. And [laugh] no more.", [("One voice. And [laugh] no more.", "", 1.0)]),
        ("[voice:amber]Hi.[/voice] Who is there?", [("Hi.", "amber", 1.0), ("Who is there?", "", 1.0)]),
        ("[voice:a]Hi. [voice:b]Ho.", [("Hi.", "a", 1.0), ("Ho.", "b", 1.0)]),
        ("[voice:a]One. [voice:b]Two.[/voice] Three.[/voice] Four.",
         [("One.", "a", 1.0), ("Two.", "b", 1.0), ("Three.", "a", 1.0), ("Four.", "", 1.0)]),
        ("[ Voice : Old Man ]Hi.[/ voice ]", [("Hi.", "Old Man", 1.0)]),
        ("[voice:a]Hi.[/voice] [pause:1s] [voice:b]Ho.[/voice]", [("Hi. [pause:1s]", "a", 1.0), ("Ho.", "b", 1.0)]),
        ("[pause:1s] [voice:a]Hi.[/voice]", [("[pause:1s] Hi.", "a", 1.0)]),
        ("[voice:a]Hi.[/voice] [laugh] [voice:a]Ho.[/voice]", [("Hi. [laugh] Ho.", "a", 1.0)]),
        ("[voice:a][/voice] [pause:1s]", [("[voice:a][/voice] [pause:1s]", "", 1.0)]),
        ("[/voice][/rate]Hi.", [("Hi.", "", 1.0)]),
        # A rate applies to whole sentences.
        ("Slow. [rate:0.8]Down now.[/rate] Go.", [("Slow.", "", 1.0), ("Down now.", "", 0.8), ("Go.", "", 1.0)]),
        ("I [rate:0.8]really mean it. Do[/rate] you? Yes.", [("I really mean it.", "", 0.8), ("Do you? Yes.", "", 1.0)]),
        ("[rate:2][rate:50%]Even.[/rate] Fast.[/rate]", [("Even.", "", 1.0), ("Fast.", "", 2.0)]),
        ("[rate:soon]Hi there.[/rate]", [("Hi there.", "", 1.0)]),
        ("[voice:a][rate:fast]One.[/voice] Two.[/rate]", [("One.", "a", 1.25), ("Two.", "", 1.25)]),
        ("[rate:fast]门开了。[/rate]快走。", [("门开了。", "", 1.25), ("快走。", "", 1.0)]),
        # SSML
        ('<voice name="Jenny">Hi.</voice> Ho.', [("Hi.", "Jenny", 1.0), ("Ho.", "", 1.0)]),
        ("<prosody rate='+20%'>Hi.</prosody> Ho.", [("Hi.", "", 1.2), ("Ho.", "", 1.0)]),
        ('<prosody rate="slow"><prosody pitch="low">One.</prosody> Two.</prosody> Three.',
         [("One. Two.", "", 0.8), ("Three.", "", 1.0)]),
        ('<voice name="a">Hi. <break time="1s"/></voice><voice name="b">Ho.</voice>',
         [("Hi. [pause:1s]", "a", 1.0), ("Ho.", "b", 1.0)]),
        ('<prosody rate="fast"/>Hi. [voice:a]Ho.', [("Hi.", "", 1.0), ("Ho.", "a", 1.0)]),
        ("<voice>Hi.</voice> [voice:a]Ho.", [("Hi.", "", 1.0), ("Ho.", "a", 1.0)]),
        # An emotion goes on in the next passage.
        ("[emotion:sad][voice:a]Hi.[/voice] [voice:b]Ho.[/voice][/emotion] He.",
         [("[emotion:sad] Hi.", "a", 1.0), ("[emotion:sad]Ho.", "b", 1.0), ("[emotion:sad][/emotion] He.", "", 1.0)]),
        ('<mstts:express-as style="whispering">Hi.</mstts:express-as>',
         [('<mstts:express-as style="whispering">Hi.</mstts:express-as>', "", 1.0)]),
    ],
)  # fmt: skip
def test_a_text_is_divided_at_voices_and_rates(text: str, found: list[tuple[str, str, float]]) -> None:
    made = [(" ".join(each.text.split()), each.voice, round(each.rate, 6)) for each in passages(text)]
    assert made == found


@pytest.mark.parametrize(
    ("value", "rate"),
    [
        ("1.2", 1.2), ("120%", 1.2), ("+20%", 1.2), ("-20%", 0.8), (" Fast ", 1.25), ("x-slow", 0.6), ("1.5x", 1.5),
        (".5", 0.5), ("0", None), ("-100%", None), ("quick", None), ("", None), ("1.2.3", None), ("NaN", None),
    ],
)  # fmt: skip
def test_a_rate_is_a_factor_a_percentage_or_a_name(value: str, rate: float | None) -> None:
    assert rate_of(value) == (rate if rate is None else pytest.approx(rate))


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("Hi.", ""),
        ("[voice:a]Hi.", "[voice:a]"),
        ("[voice:a][rate:2]Hi.[/voice]", "[rate:2]"),
        ('<voice name="a">Hi.', "[voice:a]"),
        ("[voice:a]Hi.[/voice]", ""),
        ("[emotion:sad]Hi.", "[emotion:sad]"),
        ("[emotion:sad][voice:a]Hi.[/emotion]", "[voice:a]"),
        ("<!-- [voice:a] -->Hi.", ""),
    ],
)
def test_open_tags_apply_to_the_text_that_follows(text: str, tags: str) -> None:
    assert open_tags(text) == tags


def test_emotions_of_other_services_are_directions() -> None:
    script = parse('<amazon:emotion name="excited">We won!</amazon:emotion>', markers=("excited",))
    assert script.spoken == "(excited)We won!"


def test_a_text_without_tags_is_unchanged() -> None:
    text = "AT&amp;T costs < 5 $ [laugh]\n<p>Yes.</p>"
    assert passages(text) == (VoicePassage(text),)
