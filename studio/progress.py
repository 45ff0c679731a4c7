"""How whoever does long work reports how far it is."""

from collections.abc import Callable

from engines.types import Progress

ProgressReporter = Callable[[Progress], None]
