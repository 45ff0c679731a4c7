"""Plant faults in clips and count how many the quality report finds: `python -m bench.quality [--takes N] [--keep FILE]`.

The clips are natural speakers, persons of the f5-tts package and takes of both embedded engines. No threshold of
`studio.ears.quality` was chosen on these clips. Each fault is planted at three strengths; a fault counts as found if the
finding of its name appears at its place or frequency. Other findings, and findings in clips without a planted fault, are
false alarms.
"""

import argparse
import json
import logging
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bench.machine import machine
from bench.planting import FAULTS, Random
from engines.audio import resample
from engines.types import Audio
from studio.ears.quality import QualityReport, measure
from studio.ears.quality.opinion import predict_mos
from training.evaluation.humans import read_humans
from training.evaluation.synthesizer import Synthesizer, reference_of
from training.references import KNOWN, RATE_HZ, SHIPPED, checkpoint, read_references

RESULTS = Path(__file__).parent / "results" / "quality.json"
LINES = (
    "The lantern on the table went out before midnight.",
    "Nobody could remember where the old map was hidden.",
    "Keep your head down and follow the river.",
    "It rained for three days, and then the sun came back.",
)
HUMAN_MOS = 4.0


def clips(takes: int) -> dict[str, Audio]:
    """Return the clips by name. Clips of persons are included only if f5-tts is installed."""
    found = {f"natural/{name}": Audio(clip, RATE_HZ) for name, (clip, _) in read_references(KNOWN).items()}
    found |= {f"human/{name}": Audio(clip, RATE_HZ) for name, (clip, _) in read_humans().items()}
    voices = sorted(read_references(SHIPPED).items())
    for engine in ("f5", "s1"):
        synthesizer = Synthesizer(engine, checkpoint(engine))
        for number in range(takes):
            name, voice = voices[number % len(voices)]
            take = synthesizer.speak(reference_of(*voice), LINES[number % len(LINES)], 100 + number)
            found[f"{engine}/{name}"] = take.audio
        synthesizer.close()
    return found


def run(found: Mapping[str, Audio], random: Random) -> dict[str, Any]:
    """Plant every fault in every clip."""
    clean = {name: measure(audio) for name, audio in found.items()}
    results: dict[str, Any] = {}
    for fault, (plant, strengths, unit) in FAULTS.items():
        for strength in strengths:
            hits, others = 0, 0
            for number, (name, audio) in enumerate(found.items()):
                spoilt, is_found = plant(audio, strength, number, random)
                report = measure(spoilt)
                hits += is_found(report)
                known = {finding.name for finding in clean[name].faults} | {fault}
                others += sum(finding.name not in known for finding in report.faults)
            row = {"strength": strength, "unit": unit, "found": hits, "of": len(found), "others": others}
            results.setdefault(fault, []).append(row)
            sys.stdout.write(
                f"{fault:>10} {strength:>7g} {unit:<13}: found {hits} of {len(found)}, other findings {others}\n"
            )
    return {"planted": results, "clean": _clean(clean, found)}


def _clean(reports: Mapping[str, QualityReport], found: Mapping[str, Audio]) -> list[dict[str, Any]]:
    rows = []
    for name, report in reports.items():
        mos = predict_mos(found[name])
        rows.append({"clip": name, "mos": mos and round(mos, 2), "findings": [one.message for one in report.faults]})
        sys.stdout.write(f"{name}: MOS {rows[-1]['mos']}, findings {rows[-1]['findings']}\n")
    return rows


def cost_ms(audio: Audio, times: int = 20) -> dict[str, float]:
    """Return the elapsed and the processor milliseconds that `measure` needs for 5 s of audio."""
    five = Audio(np.resize(audio.samples, 5 * audio.sample_rate), audio.sample_rate)
    elapsed, worked = [], []
    for _ in range(times):
        started, process = time.perf_counter(), time.process_time()
        measure(five)
        elapsed.append(1000 * (time.perf_counter() - started))
        worked.append(1000 * (time.process_time() - process))
    return {"elapsed_p50": round(float(np.median(elapsed)), 1), "processor_p50": round(float(np.median(worked)), 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--takes", type=int, default=4, help="of each engine")
    parser.add_argument("--keep", type=Path, default=RESULTS)
    options = parser.parse_args()
    logging.disable(logging.INFO)
    found = clips(options.takes)
    results = {"machine": machine(), **run(found, np.random.default_rng(42))}
    results["cost_ms"] = {
        f"{rate} Hz": cost_ms(resample(found["natural/natural-10"], rate)) for rate in (24_000, 44_100)
    }
    sys.stdout.write(f"cost of 5 s: {results['cost_ms']}\n")
    options.keep.write_text(json.dumps(results, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
