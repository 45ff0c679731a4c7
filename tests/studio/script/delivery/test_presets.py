"""What may be chosen about a delivery, as a page or a program sends it."""

import json

import pytest

from engines.errors import BadSetting
from studio.script.delivery import PRESETS, preset_json, preset_of


def test_choices_come_back_as_they_were_told() -> None:
    for name in (*PRESETS, "custom"):
        answer = json.loads(json.dumps(preset_json(preset_of(name, {}))))
        assert preset_json(preset_of(answer.pop("name"), answer)) == {"name": name, **answer}


def test_a_preset_is_chosen_otherwise_in_some_fields() -> None:
    preset = preset_of("custom", {"head_ms": 20, "bits": 16, "sidecars": ["srt"], "metadata": False})
    assert (preset.head_ms, preset.bits, preset.sidecars, preset.metadata) == (20.0, 16, ("srt",), False)
    assert preset.sample_rate == 48_000


@pytest.mark.parametrize(
    "choices",
    [
        {"bits": 12},
        {"bits": 24.0},
        {"bits": True},
        {"sample_rate": 47_999},
        {"format": "mp3", "sample_rate": 96_000},
        {"head_ms": -1},
        {"head_ms": float("nan")},
        {"target_lufs": 0.0},
        {"ceiling_dbtp": "loud"},
        {"sidecars": ["virus"]},
        {"sidecars": [["srt"]]},
        {"handoffs": "wwise"},
        {"loudness": "very"},
        {"name": "mine"},
        {"colour": "red"},
        {"language": "Common Tongue"},
        {"project": "a\0b"},
        {"session": "\ud800"},
    ],
)
def test_what_makes_no_sense_is_refused(choices: dict[str, object]) -> None:
    with pytest.raises(BadSetting):
        preset_of("game", choices)


def test_an_unknown_preset_is_refused_with_those_there_are() -> None:
    with pytest.raises(BadSetting, match="game-44"):
        preset_of("gamy", {})


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"target_lufs": 9}, "the target loudness must be between -40 and -8 LUFS"),
        ({"target_lufs": "loud"}, "the target loudness must be a number, not 'loud'"),
        ({"sample_rate": 1}, "1 is not valid for the sample rate"),
        ({"usage_rights": "\0"}, "the usage rights cannot have control characters"),
    ],
)
def test_an_error_names_a_setting_as_the_page_does(choices: dict[str, object], said: str) -> None:
    with pytest.raises(BadSetting, match=said):
        preset_of("game", choices)


@pytest.mark.parametrize("field", [name for name in preset_json(PRESETS["game"]) if name != "name"])
def test_every_setting_has_words_for_errors(field: str) -> None:
    with pytest.raises(BadSetting, match=r"^the ") as raised:
        preset_of("game", {field: None})
    assert "_" not in str(raised.value)
