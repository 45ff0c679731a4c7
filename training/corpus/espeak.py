"""The espeak-ng synthesizer as a library in this process (GPL-3.0; its audio is free to use; Debian `libespeak-ng1`)."""

import ctypes
import functools
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

VOICES = (
    "en-us",
    "en-us",
    "en",
    "en-gb-x-rp",
    "en-gb-scotland",
    "en-gb-x-gbclan",
    "en-gb-x-gbcwmd",
    "en-029",
    "en-us-nyc",
)
PLAIN = ("", "+m1", "+m2", "+m3", "+m4", "+m5", "+m6", "+m7", "+m8", "+f1", "+f2", "+f3", "+f4", "+f5")
NAMED = (  # robots, whispers and croaks are left out
    "Alex Alicia Andrea Andy Annie Denis Diogo Gene Gene2 Henrique Hugo Jacky Lee Marco Mario Michael Mike Nguyen Tweaky "
    "adam anika antonio aunty belinda benjamin boris caleb david ed edward edward2 grandma grandpa gustave iven iven2 iven3 "
    "iven4 john kaukovalta klatt klatt2 klatt3 klatt4 klatt6 linda marcelo max michel miguel norbert pablo paul pedro quincy "
    "rob robert sandro shelby steph steph2 steph3 travis victor zac"
)
VARIANTS = PLAIN + tuple(f"+{name}" for name in NAMED.split())
_SYNCHRONOUS, _UTF8 = 2, 1
_RATE, _PITCH, _RANGE = 1, 3, 4
_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)


class _Library:
    """The library, which has one voice at a time, and the audio that it has generated so far."""

    def __init__(self) -> None:
        self.functions: Any = ctypes.CDLL("libespeak-ng.so.1")
        folder = os.environ.get("ESPEAK_DATA")
        self.rate_hz: int = self.functions.espeak_Initialize(_SYNCHRONOUS, 0, folder.encode() if folder else None, 0)
        if self.rate_hz <= 0:
            raise RuntimeError("espeak-ng found no data; install espeak-ng-data or point ESPEAK_DATA at its folder")
        self.pieces: list[NDArray[np.float32]] = []
        self.callback = _Callback(self._keep)  # kept here, because the library holds a pointer to it
        self.functions.espeak_SetSynthCallback(self.callback)

    def _keep(self, samples: Any, count: int, _events: Any) -> int:
        if samples and count > 0:
            self.pieces.append(np.ctypeslib.as_array(samples, (count,)).astype(np.float32) / np.float32(32768))
        return 0


@functools.cache
def _open() -> _Library:
    return _Library()


def functions() -> Any:
    """Return the functions of the initialized library."""
    return _open().functions


def rate_hz() -> int:
    return _open().rate_hz


def speak(text: str, voice: str, *, words_per_minute: int, pitch: int, spread: int) -> NDArray[np.float32]:
    """Return samples in [-1, 1] at `rate_hz()`; pitch and spread are from 0 to 99."""
    library = _open()
    library.pieces.clear()
    if library.functions.espeak_SetVoiceByName(voice.encode()) != 0:
        raise ValueError(f"espeak-ng has no voice {voice}")
    for parameter, value in ((_RATE, words_per_minute), (_PITCH, pitch), (_RANGE, spread)):
        library.functions.espeak_SetParameter(parameter, value, 0)
    sound = text.encode() + b"\0"
    library.functions.espeak_Synth(sound, ctypes.c_size_t(len(sound)), 0, 1, 0, _UTF8, None, None)
    library.functions.espeak_Synchronize()
    return np.concatenate(library.pieces) if library.pieces else np.zeros(0, np.float32)
