"""docs/configuration.md lists every setting as the code defines it."""

import pytest

from studio.settings import PREFIX, Settings
from studio.settings_reference import PAGE, SECTIONS, filled, table


def test_the_page_is_as_the_command_writes_it() -> None:
    page = PAGE.read_text("utf-8")
    assert filled(page) == page, "run `python -m studio.settings_reference`"


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_has_an_effect_in_a_sentence(name: str) -> None:
    effect = Settings.model_fields[name].description or ""
    assert effect.endswith(".") and "|" not in effect


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_stands_once_in_the_table(name: str) -> None:
    assert table().count(f"| `{PREFIX}{name.upper()}` |") == 1


def test_the_sections_name_no_setting_that_does_not_exist() -> None:
    assert {name for names in SECTIONS.values() for name in names} <= Settings.model_fields.keys()


def test_a_page_without_the_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="put both back"):
        filled("# Configuration\n")
