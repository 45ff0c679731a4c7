"""Spell whole numbers through num2words and, for Chinese, through cn2an."""

from functools import lru_cache


@lru_cache(maxsize=8192)
def cardinal(value: int, language: str, gender: str = "", case: str = "") -> str:
    """Return a cardinal number; `gender` and `case` are num2words' and hold for Russian."""
    from num2words import num2words

    options = {name: option for name, option in (("gender", gender), ("case", case)) if option}
    return str(num2words(value, lang=language, **options))


@lru_cache(maxsize=8192)
def ordinal(value: int, language: str, gender: str = "", case: str = "") -> str:
    """Return an ordinal number in the form of dictionaries, or in the form that `gender` and `case` ask for."""
    from num2words import num2words

    options = {name: option for name, option in (("gender", gender), ("case", case)) if option}
    return str(num2words(value, lang=language, to="ordinal", **options))


@lru_cache(maxsize=2048)
def year(value: int, language: str) -> str:
    """Return a year as num2words reads it."""
    from num2words import num2words

    return str(num2words(value, lang=language, to="year"))


@lru_cache(maxsize=8192)
def chinese(value: int) -> str:
    """Return a cardinal number in Chinese characters."""
    from cn2an import an2cn

    said = str(an2cn(value, "low"))
    return said[1:] if said.startswith("一十") else said
