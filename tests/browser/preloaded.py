"""What every studio imports before it speaks: studios for tests begin as forks of a process that has done so."""

import matplotlib.pyplot
import scipy.signal

import app
import engines.f5.engine
import engines.s1.engine
import studio.ui.pages.page

__all__ = ["app", "engines", "matplotlib", "scipy", "studio"]
