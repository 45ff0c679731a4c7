"""Spoken form in languages other than English: one engine, with a grammar for each language."""

from engines.text.languages.engine import MODULES, convert

GRAMMARS = tuple(MODULES)

__all__ = ["GRAMMARS", "convert"]
