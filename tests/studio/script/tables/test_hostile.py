"""Sheets that were made to harm: refused in a sentence, in little memory, or made harmless."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from studio.script.tables import read_table
from studio.script.tables.limits import MAX_CHARACTERS, MAX_COLUMNS, MAX_ROWS
from tests.studio.script.tables import attacks

ROOT = Path(__file__).parents[4]
MIB = 2**20
GROWTH_MAX = 200 * MIB

READER = """
import json, os, sys, time
from pathlib import Path
from studio.script.tables import BadSheet, read_table

def read(path):
    try:
        read_table(path.read_bytes(), path.name)
    except BadSheet as error:
        return str(error)
    return ""

def peak():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) * 1024

def measured(path):
    before, began = peak(), time.process_time()
    said = read(path)
    return json.dumps({"said": said, "growth": peak() - before, "seconds": time.process_time() - began})

for path in sys.argv[1:]:  # what reading takes anyway
    read(Path(path))
for line in sys.stdin:
    child = os.fork()
    if not child:
        print(measured(Path(line.strip())), flush=True)
        os._exit(0)
    if status := os.waitpid(child, 0)[1]:
        print(json.dumps({"said": f"the process ended with {status}"}), flush=True)
"""


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator["subprocess.Popen[str]"]:
    """Reads each sheet whose path it is sent in a process of its own."""
    small = [tmp_path_factory.mktemp("small") / name for name in ("small.csv", "small.xlsx")]
    for path, data in zip(small, (b"id,text\n1,Hello\n", attacks.workbook("<row><c><v>1</v></c></row>")), strict=True):
        path.write_bytes(data)
    command = [sys.executable, "-c", READER, *map(str, small)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def outcome(reader: "subprocess.Popen[str]", path: Path, data: bytes) -> Mapping[str, object]:
    """What a process of its own says of the sheet, and by how much its memory grew."""
    assert reader.stdin is not None and reader.stdout is not None
    path.write_bytes(data)
    reader.stdin.write(f"{path}\n")
    reader.stdin.flush()
    return json.loads(reader.stdout.readline())


@pytest.mark.parametrize("name", attacks.REFUSED)
def test_is_refused_in_a_sentence_and_little_memory(reader: "subprocess.Popen[str]", name: str, tmp_path: Path) -> None:
    words, make = attacks.REFUSED[name]
    found = outcome(reader, tmp_path / name, make())
    said = str(found["said"])
    print(name, said, found)
    assert words in said
    assert "; " in said and said.isprintable() and len(said) < 200
    assert found["growth"] < GROWTH_MAX


@pytest.mark.parametrize("name", attacks.BORNE)
def test_the_largest_sheets_are_read_in_little_memory(
    reader: "subprocess.Popen[str]", name: str, tmp_path: Path
) -> None:
    found = outcome(reader, tmp_path / name, attacks.BORNE[name]())
    print(name, found)
    assert found["said"] == ""
    assert found["growth"] < GROWTH_MAX


@pytest.mark.parametrize(
    ("make", "size"),
    [
        (lambda n: b"id,text\n" + b"1,a\n" * n, MAX_ROWS),
        (lambda n: b"text" + b",a" * (n - 1) + b"\n" + b"1" + b",b" * (n - 1), MAX_COLUMNS),
        (lambda n: b"id,text\n1," + b"a" * n, MAX_CHARACTERS),
    ],
    ids=["rows", "columns", "characters"],
)
def test_a_limit_is_the_last_size_that_is_read(make: Callable[[int], bytes], size: int) -> None:
    read_table(make(size), "sheet.csv")
    with pytest.raises(Exception, match=f"over {size:,}"):
        read_table(make(size + 1), "sheet.csv")


def test_control_characters_are_left_out() -> None:
    table = read_table(b"id,text\n1,He\0l\x07lo\n" + b"2,Go away now\n" * 9, "sheet.csv")
    assert table.rows[0] == ("1", "Hello")
