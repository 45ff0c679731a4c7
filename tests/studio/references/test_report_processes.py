"""Sent references are read and checked in child processes, and in the studio while these start, are busy or have failed."""

import base64
import io
import os
import signal
from collections.abc import Iterator

import psutil
import pytest
import soundfile

from engines.errors import BadAudio
from engines.types import Audio, Reference
from studio.ears.child import DIED
from studio.references import acceptance, report
from studio.references.acceptance import BadReference, SentReference, read_sent_reference
from studio.references.clip import Source
from studio.references.report import failures
from studio.references.report_processes import ReportProcesses, _bursts
from tests.waiting import until
from training.references import RATE_HZ, SHIPPED, read_references

SOURCE = Source(sample_rate=RATE_HZ)


@pytest.fixture(scope="module")
def voice() -> Reference:
    samples, transcript = read_references(SHIPPED)["amber"]
    return Reference(Audio(samples, RATE_HZ), transcript)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note the transcripts of the clips that this process checks."""
    made: list[str] = []
    check = report.speech_rate

    def noted(audio: Audio, transcript: str) -> report.Check:
        made.append(transcript)
        return check(audio, transcript)

    monkeypatch.setattr(report, "speech_rate", noted)
    return made


@pytest.fixture
def processes() -> Iterator[ReportProcesses]:
    made = ReportProcesses(1)
    yield made
    made.close()


def children() -> list[psutil.Process]:
    return [each for each in psutil.Process().children() if "studio.references.report_process" in each.cmdline()]


def started(processes: ReportProcesses, voice: Reference) -> None:
    processes.failures(voice.audio, SOURCE, voice.transcript)
    until(lambda: not processes._free.empty())


def test_the_first_report_is_made_here_and_later_ones_in_the_process(
    processes: ReportProcesses, voice: Reference, here: list[str]
) -> None:
    quick = f"{voice.transcript} " * 5
    wanted = [failures(voice.audio, SOURCE, each) for each in (voice.transcript, quick)]
    assert wanted[0] == [] != wanted[1]
    here.clear()
    started(processes, voice)
    assert here == [voice.transcript]
    assert [processes.failures(voice.audio, SOURCE, each) for each in (voice.transcript, quick)] == wanted
    assert here == [voice.transcript]
    assert len(children()) == 1


def test_the_bursts_pass_for_speech_so_a_report_makes_all_checks() -> None:
    made = report.report(_bursts(), SOURCE, "Yes.")
    assert {"clicks", "tones", "rumble"} <= {check.name for check in made.checks}


@pytest.mark.long
def test_a_report_is_made_here_if_its_process_is_killed_twice(
    voice: Reference, here: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    processes = ReportProcesses(1)
    started(processes, voice)
    monkeypatch.setattr(processes._children[0], "ask", lambda *_: DIED)
    assert processes.failures(voice.audio, SOURCE, voice.transcript) == []
    assert here[-1] == voice.transcript
    processes.close()


def test_a_sent_file_is_read_in_the_process_and_remembered(
    processes: ReportProcesses, voice: Reference, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = io.BytesIO()
    soundfile.write(file, voice.audio.samples, RATE_HZ, format="FLAC")
    sent = base64.b64encode(file.getvalue()).decode()
    wanted = read_sent_reference(sent, voice.transcript)
    started(processes, voice)
    monkeypatch.setattr(acceptance, "decode_sent", pytest.fail)  # this process does not read the file
    found = processes.read(sent, voice.transcript)
    assert found.reference.digest == wanted.reference.digest and found.source == wanted.source
    assert processes.read(sent, voice.transcript) is found


@pytest.mark.parametrize(("sent", "why"), [("bm8gc291bmQ=", "is not audio"), ("no base64!", "is not base64")])
def test_a_file_that_is_no_reference_raises_its_own_error(
    processes: ReportProcesses, voice: Reference, sent: str, why: str
) -> None:
    started(processes, voice)
    with pytest.raises(BadAudio, match=why):
        processes.read(sent, voice.transcript)


@pytest.mark.long
def test_a_killed_process_is_replaced(processes: ReportProcesses, voice: Reference) -> None:
    started(processes, voice)
    (child,) = children()
    os.kill(child.pid, signal.SIGKILL)
    assert processes.failures(voice.audio, SOURCE, voice.transcript) == []
    assert [each.pid for each in children()] != [child.pid]


def test_no_process_remains_after_close(voice: Reference) -> None:
    processes = ReportProcesses(2)
    processes.failures(voice.audio, SOURCE, voice.transcript)
    processes.close()
    assert children() == []


def test_without_processes_the_report_is_made_here(voice: Reference, here: list[str]) -> None:
    ReportProcesses(0).failures(voice.audio, SOURCE, voice.transcript)
    assert here == [voice.transcript]
    assert children() == []


def test_a_reference_is_checked_once(voice: Reference) -> None:
    calls: list[str] = []

    def find(audio: Audio, source: Source, transcript: str) -> list[str]:
        calls.append(transcript)
        return ["Too short."]

    sent = SentReference(voice, SOURCE)
    for _ in range(2):
        with pytest.raises(BadReference, match="Too short"):
            sent.check(find)
    assert calls == [voice.transcript]
