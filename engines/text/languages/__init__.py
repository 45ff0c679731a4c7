"""Spoken form in languages other than English: shared rules, and a grammar for each language."""

from engines.text.languages.conversion import MODULES, convert

GRAMMARS = tuple(MODULES)

__all__ = ["GRAMMARS", "convert"]
