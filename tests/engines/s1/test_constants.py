"""Numbers that several backends need are the same in each."""

from engines.codec_lm import constants
from engines.codec_lm.cpu_kernels import GOLDEN
from engines.s1.cpu_kernels import WINDOW
from engines.s1.resident.sizes import SIZES


def test_numba_kernels_have_the_window_and_the_increment_of_the_other_backends() -> None:
    assert WINDOW == constants.WINDOW
    assert int(GOLDEN) == constants.GOLDEN


def test_the_resident_kernel_is_compiled_with_the_window_and_the_increment() -> None:
    assert SIZES["PENALTY_WINDOW"] == constants.WINDOW
    assert SIZES["NOISE_INCREMENT"] == constants.GOLDEN
