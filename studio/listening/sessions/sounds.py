"""The sounds of a trial, made equal in everything except what the listener judges."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock

import numpy as np
import numpy.typing as npt
from scipy.signal import butter, sosfiltfilt

from engines.audio import fade, resample, rms_dbfs
from engines.types import Audio, Samples
from studio.listening.loudness_match import match_sounds, wav
from studio.listening.sessions.trials import SessionSide, SessionTrial, Treatment

LEAD_S = 0.2  # silence before the speech
RISE_S = 0.02  # fade-in before the onset
NOISE_DB = (
    -60.0
)  # inaudible noise re the quietest sound; it hides whether an engine makes noise or zeros where nothing is said
FADE_S = 0.005
WINDOW_S = 0.005  # of the level that finds the onset
ONSET_DB = -30.0  # re the highest level
ANCHOR_HZ = 3_500  # ITU-R BS.1534-3
DAMAGED_HZ, DAMAGED_SNR_DB = 1_200, 3.0
BAND = 0.9  # share of the lowest rate's band that all sounds keep
EDGE_S = 0.05
KEPT_TRIALS = 24  # trials whose files stay in memory

FindSound = Callable[[str, int, SessionSide], Audio]  # from the id of the session, the line and the side


class TrialSounds:
    """WAV files of the sides and the reference of trials. All files of a trial are computed together. Thread-safe."""

    def __init__(self, find: FindSound) -> None:
        self._find = find
        self._kept: OrderedDict[tuple[object, ...], Sequence[bytes]] = OrderedDict()
        self._lock = Lock()

    def files(self, session_id: str, trial: SessionTrial) -> Sequence[bytes]:
        """Return the files of the sides, then the file of the reference if the trial has one."""
        sides = [*trial.sides, *([trial.reference] if trial.reference else [])]
        key = (session_id, trial.line, *sides)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = [wav(audio) for audio in self._equal(session_id, trial.line, sides)]
            self._kept.move_to_end(key)
            while len(self._kept) > KEPT_TRIALS:
                self._kept.popitem(last=False)
            return self._kept[key]

    def forget(self, session_id: str) -> None:
        """Forget the files of a session, because its takes changed."""
        with self._lock:
            for key in [key for key in self._kept if key[0] == session_id]:
                del self._kept[key]

    def _equal(self, session_id: str, line: int, sides: Sequence[SessionSide]) -> list[Audio]:
        sounds = [self._find(session_id, line, side) for side in sides]
        rate = min(audio.sample_rate for audio in sounds)
        banded = [_banded(audio, rate) for audio in sounds]
        treated = [_treated(audio, side.treatment) for audio, side in zip(banded, sides, strict=True)]
        equal = match_sounds([with_lead(audio) for audio in treated], rate)
        level = min((rms_dbfs(audio.samples) for audio in equal if audio.samples.any()), default=0.0) + NOISE_DB
        return [with_noise(audio, level) for audio in equal]


def _banded(audio: Audio, rate: int) -> Audio:
    """Return the sound at this rate, without the highest frequencies: the edge of the band would identify an engine."""
    edge = round(EDGE_S * audio.sample_rate)
    padded = Audio(np.pad(audio.samples, edge), audio.sample_rate)  # a cut end would ring above the band
    banded = resample(resample(padded, round(BAND * rate)), rate)
    cut = round(EDGE_S * rate)
    return Audio(fade(banded.samples[cut:-cut], rate, in_s=FADE_S, out_s=FADE_S), rate)


def with_lead(audio: Audio) -> Audio:
    """Move the onset of speech to LEAD_S. Everything earlier than RISE_S before the onset becomes silence."""
    lead, rise, rate = round(LEAD_S * audio.sample_rate), round(RISE_S * audio.sample_rate), audio.sample_rate
    begin = onset(audio) - rise
    speech = fade(np.pad(audio.samples, (max(0, -begin), 0))[max(0, begin) :], rate, in_s=RISE_S)
    return Audio(np.pad(speech, (lead - rise, 0)), rate)


def with_noise(audio: Audio, level_dbfs: float) -> Audio:
    """Add noise of this level to a sound; silence stays silence."""
    if not audio.samples.any():
        return audio
    noise = np.random.default_rng().standard_normal(len(audio.samples)) * 10 ** (level_dbfs / 20)
    return Audio((audio.samples + noise).astype(np.float32), audio.sample_rate)


def onset(audio: Audio) -> int:
    """Return the first sample of the speech: there, the level reaches ONSET_DB re the highest level. 0 for silence."""
    window = max(1, round(WINDOW_S * audio.sample_rate))
    levels = _power(audio.samples, window)
    highest = levels.max(initial=0.0)
    return int(np.argmax(levels >= highest * 10 ** (ONSET_DB / 10))) if highest > 0.0 else 0


def _power(samples: Samples, window: int) -> npt.NDArray[np.float64]:
    """Return the mean power of the window that ends at each sample."""
    total = np.cumsum(np.square(samples, dtype=np.float64))
    return total - np.concatenate([np.zeros(min(window, len(total))), total[:-window]])


def _treated(audio: Audio, treatment: Treatment) -> Audio:
    if treatment == "anchor":
        return Audio(_low_pass(audio, ANCHOR_HZ), audio.sample_rate)
    return _damaged(audio) if treatment == "damaged" else audio


def _damaged(audio: Audio) -> Audio:
    """Return a sound that everybody hears as broken: a muffled voice in loud noise."""
    muffled = _low_pass(audio, DAMAGED_HZ)
    noise = np.random.default_rng(0).standard_normal(len(muffled)).astype(np.float32)
    level = 10 ** ((rms_dbfs(muffled) - DAMAGED_SNR_DB) / 20)
    return Audio((muffled + noise * np.float32(level)).astype(np.float32), audio.sample_rate)


def _low_pass(audio: Audio, hertz: float) -> Samples:
    sections = butter(8, min(hertz, 0.49 * audio.sample_rate), fs=audio.sample_rate, output="sos")
    return np.asarray(sosfiltfilt(sections, audio.samples, padlen=0), np.float32)
