"""Time packing, verifying and unpacking an archive of a full-size fine-tuned champion, next to `tar | gzip -1`.

`python -m bench.archives [FOLDER]` needs about 6 GB there, and prints seconds, MB/s and the growth of resident memory.
"""

import multiprocessing
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from engines.types import Audio, Progress
from studio.archive import pack, unpack, verify
from studio.champions.champion import Champion
from studio.champions.members import WEIGHTS, write_members

SECONDS, RATE = 6, 24_000


def write_weights(path: Path) -> None:
    """Write F5-TTS v1 Base as f5-tts saves it, with random parameters. Runs in a child process, so that torch stays there."""
    import torch

    from bench.checkpoints import SYMBOLS, redraw
    from bench.f5 import ARCH
    from engines.f5.config import DiTConfig
    from engines.f5.network import DiT

    network = redraw(DiT(DiTConfig.from_mapping(dict(ARCH), len(SYMBOLS))))
    state = {f"ema_model.transformer.{name}": tensor for name, tensor in network.state_dict().items()}
    torch.save({"ema_model_state_dict": state}, path)


def write_champion(folder: Path) -> None:
    """Write the members of a fine-tuned champion."""
    import numpy as np

    sound = np.random.default_rng(0).standard_normal(SECONDS * RATE).astype("float32") / 10
    write_members(folder, Champion(id="yasuo", transcript="one two three", fine_tuned=True), Audio(sound, RATE))
    writing = multiprocessing.get_context("spawn").Process(target=write_weights, args=(folder / WEIGHTS,))
    writing.start()
    writing.join()
    if writing.exitcode:
        raise RuntimeError("writing the weights failed; free memory and 1.4 GB of disk space")


def measure(name: str, size: int, work: Callable[[], object]) -> None:
    """Run the work once, and print its time and memory."""
    Path("/proc/self/clear_refs").write_text("5")  # reset the peak memory
    before, started = memory("VmRSS"), time.perf_counter()
    work()
    took_s = time.perf_counter() - started
    grown = (memory("VmHWM") - before) / 1e6
    sys.stdout.write(f"{name:>14}: {took_s:6.1f} s, {size / 1e6 / took_s:6.0f} MB/s, memory +{grown:.0f} MB\n")


def memory(field: str) -> int:
    """Return the resident memory (VmRSS) or the peak memory (VmHWM) of this process in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def unpacked(archive: Path, staged: Path) -> None:
    """Unpack an archive without opening the weights, which `engines/f5/vetting/process.py` does."""
    staged.mkdir()
    unpack(archive, staged, lambda weights, target: target.hardlink_to(weights), silent, threading.Event())


def silent(_: Progress) -> None:
    pass


def main(within: Path | None) -> None:
    with tempfile.TemporaryDirectory(dir=within) as name:
        folder = Path(name)
        (folder / "members").mkdir()
        write_champion(folder / "members")
        members = {path.name: path for path in (folder / "members").iterdir()}
        size = sum(path.stat().st_size for path in members.values())
        ours, theirs = folder / "yasuo.tar.gz", folder / "plain.tar.gz"
        sys.stdout.write(f"{size / 1e6:,.0f} MB of members\n")
        shell = f"tar -C {folder / 'members'} -c . | gzip -1 > {theirs} && sync {theirs}"
        measure("tar | gzip -1", size, lambda: subprocess.run(shell, shell=True, check=True))
        measure("pack", size, lambda: pack(members, ours, silent, threading.Event()))
        measure("verify", size, lambda: verify(ours, silent, threading.Event()))
        measure("unpack", size, lambda: unpacked(ours, folder / "staged"))
        measure("unpack theirs", size, lambda: unpacked(theirs, folder / "staged-theirs"))
        smaller = 100 * (1 - theirs.stat().st_size / ours.stat().st_size)
        sys.stdout.write(f"gzip -1 makes it {smaller:.1f} % smaller\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
