"""The flite synthesizer as a library in this process (Carnegie Mellon, permissive licence; Debian `libflite1`)."""

import ctypes
import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

VOICES = ("slt", "rms", "awb", "kal16")
RATE_HZ = 16_000
# flite keeps the pointer to a feature's name, so the bytes must outlive the voice.
STRETCH, MEAN, DEVIATION, QUICK = (
    b"duration_stretch",
    b"int_f0_target_mean",
    b"int_f0_target_stddev",
    b"mlsa_speed_param",
)


class _Wave(ctypes.Structure):
    _fields_ = [
        ("kind", ctypes.c_char_p),
        ("rate", ctypes.c_int),
        ("count", ctypes.c_int),
        ("channels", ctypes.c_int),
        ("samples", ctypes.POINTER(ctypes.c_short)),
    ]


class _Voice(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("features", ctypes.c_void_p)]


@functools.cache
def _library() -> Any:
    library = ctypes.CDLL("libflite.so.1", mode=ctypes.RTLD_GLOBAL)
    library.flite_init()
    library.flite_text_to_wave.restype = ctypes.POINTER(_Wave)
    library.flite_text_to_wave.argtypes = [ctypes.c_char_p, ctypes.POINTER(_Voice)]
    library.flite_feat_set_float.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_float]
    library.flite_feat_set_int.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
    library.delete_wave.argtypes = [ctypes.POINTER(_Wave)]
    return library


@functools.cache
def _voice(name: str) -> Any:
    _library()
    register = getattr(ctypes.CDLL(f"libflite_cmu_us_{name}.so.1"), f"register_cmu_us_{name}")
    register.restype, register.argtypes = ctypes.POINTER(_Voice), [ctypes.c_void_p]
    return register(None)


def speak(text: str, voice: str, *, stretch: float, mean_hz: float, deviation_hz: float) -> NDArray[np.float32]:
    """Return samples in [-1, 1] at 16 kHz. Statistical voices use their exact MLSA filter."""
    library, handle = _library(), _voice(voice)
    features = handle.contents.features
    library.flite_feat_set_float(features, STRETCH, stretch)
    library.flite_feat_set_float(features, MEAN, mean_hz)
    library.flite_feat_set_float(features, DEVIATION, deviation_hz)
    library.flite_feat_set_int(features, QUICK, 0)
    wave = library.flite_text_to_wave(text.encode("ascii"), handle)
    samples = np.ctypeslib.as_array(wave.contents.samples, (wave.contents.count,)).astype(np.float32) / np.float32(
        32768
    )
    library.delete_wave(wave)
    return samples
