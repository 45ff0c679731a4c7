"""Speak inside NVIDIA Triton: pass each request on to a running studio, which has the engines.

Every model of a Triton server is a separate process, so no model loads an engine. This file uses only the standard library and
numpy. Environment variables: CHAMPION_STUDIO_SOCKET is the Unix socket of a studio on the same machine. Without a socket,
CHAMPION_STUDIO_URL is the address of a studio elsewhere. CHAMPION_STUDIO_KEY is an API key of the studio, if it needs one.

In the folder of an archive, the model speaks as the archive's champion. With a socket, the model imports this champion into the
studio, and deletes it there when Triton unloads the model. With an address, the studio must have the champion already. A model
whose config.pbtxt names an engine speaks as any champion of the studio, or with a reference that comes with the request.
"""

from __future__ import annotations  # some images of Triton still run Python 3.8

import base64
import json
import os
import socket
import struct
import sys
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

SOCKET, ADDRESS, KEY = "CHAMPION_STUDIO_SOCKET", "CHAMPION_STUDIO_URL", "CHAMPION_STUDIO_KEY"


class LazyModules:
    """Import finder that loads modules lazily: numpy and http.client import them, but this file does not use them.

    These modules are a third of the memory of this process, and hundreds of such processes may use one studio.
    """

    NAMES = (
        *("numpy.ctypeslib", "numpy.fft", "numpy.ma", "numpy.polynomial", "numpy.random"),
        *("bz2", "calendar", "email.parser", "hashlib", "inspect", "lzma", "pickle", "platform"),
        *("random", "shutil", "ssl", "tempfile"),
    )

    @classmethod
    def find_spec(cls, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path) if name in cls.NAMES else None
        if spec and spec.loader:
            spec.loader = LazyLoader(spec.loader)
        return spec


if os.environ.get(SOCKET):
    sys.meta_path.insert(0, LazyModules)

import hashlib  # noqa: E402
import http.client  # noqa: E402
import tarfile  # noqa: E402

import numpy as np  # noqa: E402
import triton_python_backend_utils as triton  # type: ignore[import-not-found]  # noqa: E402

TIMEOUT_S = 55  # longest silence; SageMaker gives up after 60
STARTS_WITHIN_S = 50  # time for the start of a studio that starts together with Triton
LOOK_S = 0.1
NEEDED = ("reference.wav", "reference.txt", "metadata.json")
FURTHER = ("reference_original.flac", "model.pt", "portrait.png", "portrait.jpg", "portrait.webp")
BLOCK = 1 << 20  # bytes that are read at a time
REFERENCE_RATE = 16_000  # Hz, if the request does not give a rate
HEADER = struct.Struct("<4sI8sIHHIIHH4sI")  # of a WAV file of 16-bit mono
# SageMaker recognises these words, answers 507, and may unload other models.
NO_ROOM = {"out_of_memory": "CUDA out of memory: ", "not_saved": "No space left on device: "}
# Triton's names of errors; other statuses from 400 to 499 are faults of the request.
KINDS = {404: "NOT_FOUND", 429: "UNAVAILABLE", 503: "UNAVAILABLE"}


class Refusal(Exception):
    """The studio refused the request or, with status 503, did not answer. The message says what to do."""

    def __init__(self, sentence: str, status: int, code: str = "") -> None:
        super().__init__(NO_ROOM.get(code, "") + sentence)
        self.status, self.code = status, code


class SocketConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=TIMEOUT_S)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(TIMEOUT_S)
        self.sock.connect(self._path)


class Call:
    """One request to the studio, and its answer, which is read while it arrives. Raises Refusal."""

    def __init__(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> None:
        self._connection, before = _studio()
        with _answered(self):
            self._connection.connect()
            self._socket = self._connection.sock
            # If the studio refuses early, its answer has the reason.
            with suppress(BrokenPipeError, ConnectionResetError):
                self._connection.request(method, before + path, body, headers or {})
            self._answer = self._connection.getresponse()
        if self._answer.status >= 400:
            raise self._refusal()

    def read(self, size: int | None = None) -> bytes:
        with _answered(self):
            return self._answer.read(size)

    def pieces(self) -> Iterator[bytes]:
        """Yield the rest of the answer while it arrives."""
        piece = b"..."
        while piece:
            with _answered(self):
                piece = self._answer.read1()
            yield piece

    def stop(self) -> None:
        """End the call, from any thread. The studio stops its work for the request when the connection closes."""
        self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._connection.close()

    def _refusal(self) -> Refusal:
        """Return the error in the answer of the studio, or of a proxy in front of the studio."""
        status, body = self._answer.status, self.read(2_000).decode(errors="replace")
        self.close()
        try:
            problem = json.loads(body)
            return Refusal(f"the studio answered {status}: {problem['detail']}", status, str(problem.get("code")))
        except (ValueError, TypeError, KeyError):
            return Refusal(f"the studio answered {status}: {body}", status)


@contextmanager
def _answered(call: Call) -> Iterator[None]:
    try:
        yield
    except (OSError, http.client.HTTPException) as error:
        call.close()
        why = str(error) or type(error).__name__
        sentence = (
            f"the studio behind this model does not answer ({why}); "
            "it is starting again, so send the request again in a few seconds"
        )
        raise Refusal(sentence, 503) from error


def _studio() -> tuple[http.client.HTTPConnection, str]:
    """Return a connection that is not open yet, and the prefix of each path. Raises Refusal if no studio is configured."""
    if os.environ.get(SOCKET):
        return SocketConnection(os.environ[SOCKET]), ""
    url = urlsplit(os.environ.get(ADDRESS, ""))
    kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
    if url.scheme not in kinds:
        sentence = (
            f"no studio is configured for this model; set {SOCKET}, or set {ADDRESS} to the http address of a studio, "
            "and load the model again"
        )
        raise Refusal(sentence, 503)
    return kinds[url.scheme](url.netloc, timeout=TIMEOUT_S), url.path.rstrip("/")


def _asked(method: str, path: str, body: Any = None) -> dict[str, Any]:
    """Return the JSON of the studio's answer. Raises Refusal."""
    with closing(Call(method, path, body)) as call:
        return dict(json.loads(call.read()))


class ArchivedChampion:
    """A champion whose archive is unpacked in a folder, and which a running studio speaks. Any thread may call it."""

    def __init__(self, folder: Path) -> None:
        missing = [name for name in NEEDED if not (folder / name).is_file()]
        if missing:
            raise FileNotFoundError(f"this champion lacks {', '.join(missing)}; export the archive again")
        self.id = json.loads((folder / "metadata.json").read_text("utf-8")).get("champion_id")
        if not self.id:
            raise ValueError('metadata.json lacks "champion_id"; export the archive again')
        self.voice = "" if os.environ.get(SOCKET) else self.id  # id in the studio; "" until the studio has the champion
        self._brought: set[str] = set()
        self._folder = folder
        self._bringing = threading.Lock()

    def bring(self) -> None:
        """Import the champion into the studio. Raises Refusal.

        The champion gets another id if the studio has another version of the champion.
        """
        with self._bringing:
            try:
                self._import(self.id)
                self.voice = self.id
            except Refusal as error:
                if error.status != 409:
                    raise
                own = f"{self.id[:51]}-{self._digest()[:12]}"
                if not _is_known(own):
                    self._import(own)
                self.voice = own

    def take_away(self) -> None:
        """Delete from the studio what this process imported, and nothing else. Raises Refusal."""
        while self._brought:
            try:
                _asked("DELETE", f"/studio/champions/{self._brought.pop()}")
            except Refusal as error:
                if error.code != "unknown_champion":  # another instance of this model has deleted the champion
                    raise

    def _import(self, id: str) -> None:
        known = _is_known(id)
        job = _asked("POST", f"/studio/champions/import?as_id={quote(id)}", self._packed())
        while job["state"] == "running":
            time.sleep(LOOK_S)
            job = _asked("GET", f"/studio/jobs/{job['id']}")
        if job["state"] != "done" and job["conflict"] and not known:
            self._import(id)  # another model has just imported a champion of this id, perhaps the same version
            return
        if job["state"] != "done":
            raise Refusal(job["error"], 409 if job["conflict"] else 400, job["code"])
        if not known:
            self._brought.add(id)

    def _files(self) -> list[Path]:
        return [path for name in (*NEEDED, *FURTHER) if (path := self._folder / name).is_file()]

    def _digest(self) -> str:
        digest = hashlib.sha256()
        for path in self._files():
            digest.update(path.name.encode())
            for block in _blocks(path):
                digest.update(block)
        return digest.hexdigest()

    def _packed(self) -> Iterator[bytes]:
        """Yield the champion's files as a .tar.gz without compression, because audio and weights hardly shrink."""
        gzip = zlib.compressobj(0, zlib.DEFLATED, 31)
        for path in self._files():
            header = tarfile.TarInfo(path.name)
            header.size = path.stat().st_size
            yield gzip.compress(header.tobuf(tarfile.USTAR_FORMAT))
            for block in _blocks(path):
                yield gzip.compress(block)
            yield gzip.compress(bytes(-header.size % tarfile.BLOCKSIZE))
        yield gzip.compress(bytes(2 * tarfile.BLOCKSIZE)) + gzip.flush()


def _blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from iter(lambda: file.read(BLOCK), b"")


def _is_known(id: str) -> bool:
    try:
        return bool(_asked("GET", f"/studio/champions/{quote(id)}"))
    except Refusal as error:
        if error.code != "unknown_champion":
            raise
        return False


class StoredResponse:
    """A sender that stores the response.

    Before 24.06, Triton expects that `execute` returns the responses of a model that does not stream.
    """

    response: Any = None

    def send(self, response: Any = None, flags: int = 0) -> None:
        self.response = response

    def is_cancelled(self) -> bool:
        return False


class ComputeSlots:
    """Limits how many instances wait for their requests inside `execute`: all but one, each with a slot.

    Triton counts the duration of `execute` as compute time, and gives the instance no other request meanwhile. An instance
    that holds a slot waits, so its request is counted. An instance without a slot returns at once, so that Triton can always
    start the next request. A slot is an abstract Unix socket, which Linux frees when its process ends.
    """

    def __init__(self, model: str, instances: int) -> None:
        self._names = [f"\0champion-{os.getppid()}-{model}-{number}" for number in range(instances - 1)]

    @contextmanager
    def taken(self) -> Iterator[bool]:
        """Hold a free slot during the block, and yield True; yield False if no slot is free."""
        with socket.socket(socket.AF_UNIX) as slot:
            yield any(_binds(slot, name) for name in self._names)


def _binds(slot: socket.socket, name: str) -> bool:
    with suppress(OSError):  # another instance has this name
        slot.bind(name)
        return True
    return False


class TritonPythonModel:
    def initialize(self, args: dict[str, str]) -> None:
        config = json.loads(args["model_config"])
        instances = sum(int(group.get("count", 1)) for group in config.get("instance_group", []))
        self._slots = ComputeSlots(args["model_name"], instances)
        self._streams = config.get("model_transaction_policy", {}).get("decoupled", False)
        self._engine = config.get("parameters", {}).get("engine", {}).get("string_value", "")
        self._champion = None if self._engine else ArchivedChampion(Path(args["model_repository"]))
        due = time.monotonic() + STARTS_WITHIN_S
        while self._champion and not self._champion.voice and time.monotonic() < due:
            try:
                self._champion.bring()
            except Refusal as error:
                if error.status != 503:
                    raise
                # The studio is starting; without an import in time, the first request imports the champion.
                time.sleep(LOOK_S)

    def execute(self, requests: list[Any]) -> list[Any] | None:
        kept, threads = [], []
        for request in requests:
            given, wanted = _given(request), request.requested_output_names()
            try:
                sender = request.get_response_sender()
            except triton.TritonModelException:
                kept.append(StoredResponse())
                self._answer(given, wanted, kept[-1])
                continue
            threads.append(threading.Thread(target=self._answer, args=(given, wanted, sender), daemon=True))
            threads[-1].start()
        with self._slots.taken() as counted:
            for thread in threads if counted else []:
                thread.join()
        return [sender.response for sender in kept] or None

    def finalize(self) -> None:
        if self._champion:
            self._champion.take_away()

    def _answer(self, given: dict[str, Any], wanted: list[str], sender: Any) -> None:
        try:
            last = self._spoken(given, wanted, sender)
        except Exception as error:
            last = triton.InferenceResponse(error=_error(error))
        sender.send(last, triton.TRITONSERVER_RESPONSE_COMPLETE_FINAL)

    def _spoken(self, given: dict[str, Any], wanted: list[str], sender: Any) -> Any:
        """Send every response but the last, and return the last; None after a stream. Raises Refusal and ValueError.

        Do not use `sender` after this method, except for the final response: that response frees what `sender` reads.
        """
        with closing(self._begun(given)) as call, _until_cancelled(call, sender):
            rate = HEADER.unpack(call.read(HEADER.size))[6]
            if not self._streams:
                return _whole(b"".join(call.pieces()), rate, wanted)
            for samples in _samples(call.pieces()):
                sender.send(_response(wanted, audio=samples, sample_rate=np.array([rate], np.int32)))
        return None

    def _begun(self, given: dict[str, Any]) -> Call:
        """Start a request, and return its call to the studio. Raises Refusal and ValueError."""
        asked = self._form(given)
        if self._champion is None:
            return _speech(asked)
        if not self._champion.voice:
            self._champion.bring()
        try:
            return _speech({**asked, "voice": self._champion.voice})
        except Refusal as error:
            if error.code != "unknown_champion" or not os.environ.get(SOCKET):
                raise
        self._champion.bring()  # another model of the same champion has deleted the champion
        return _speech({**asked, "voice": self._champion.voice})

    def _form(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return the fields of a request to /v1/audio/speech. Raises ValueError."""
        sound = given.pop("reference_wav", None)
        plain = {name: _plain(values) for name, values in given.items()}
        form = json.loads(plain.pop("settings", "") or "{}")
        if not isinstance(form, dict):
            raise ValueError("settings must be a JSON object")
        voice = plain.pop("champion_id", "")
        if not plain.get("language", "detect"):
            del plain["language"]  # an empty tensor: the studio detects the language
        target = plain.pop("target_text", "")
        form.update(input=plain.pop("text", "") or target, response_format="wav")
        if self._champion is None:
            form.update(model=self._engine, **_voice(voice, sound, plain))
        elif voice not in ("", self._champion.id):
            raise ValueError(f"this model speaks as {self._champion.id}; ask the other champion's model instead")
        form.update(plain)
        return form


def _speech(form: dict[str, Any]) -> Call:
    headers = {"Content-Type": "application/json"}
    if os.environ.get(KEY):
        headers["Authorization"] = f"Bearer {os.environ[KEY]}"
    return Call("POST", "/v1/audio/speech", json.dumps(form).encode(), headers)


def _voice(id: str, sound: Any, plain: dict[str, Any]) -> dict[str, str]:
    """Return the fields of the voice: a champion, or the reference that came with the request.

    `sound` has samples from -1 to 1; only the first `reference_wav_len` samples are used. Raises ValueError.
    """
    transcript, rate = plain.pop("reference_text", ""), plain.pop("reference_sample_rate", REFERENCE_RATE)
    length = plain.pop("reference_wav_len", None)
    if bool(id) == (sound is not None):
        raise ValueError("send a champion_id, or reference_wav and reference_text; one of the two")
    if sound is None:
        return {"voice": id}
    samples = np.round(np.clip(sound[:length], -1, 1) * 32_767).astype("<i2").tobytes()
    return {"reference_audio": base64.b64encode(_wav(samples, rate)).decode(), "reference_text": transcript}


def _given(request: Any) -> dict[str, Any]:
    """Return the inputs by name. The values are copies, because Triton takes the request back."""
    return {tensor.name(): tensor.as_numpy().reshape(-1).copy() for tensor in request.inputs()}


def _plain(values: Any) -> Any:
    value = values.tolist()[0]
    return value.decode() if isinstance(value, bytes) else value


def _wav(samples: bytes, rate: int) -> bytes:
    size = len(samples)
    return HEADER.pack(b"RIFF", 36 + size, b"WAVEfmt ", 16, 1, 1, rate, 2 * rate, 2, 16, b"data", size) + samples


def _whole(samples: bytes, rate: int, wanted: list[str]) -> Any:
    """Return the complete audio as one response, in a single form.

    The form is samples, or a WAV file if samples are not wanted: JSON, the usual answer, cannot carry a WAV file.
    """
    outputs = {"sample_rate": np.array([rate], np.int32), "audio": np.frombuffer(samples, "<i2")}
    if "audio" not in wanted:
        outputs["wav"] = np.array([_wav(samples, rate)], np.object_)
    return _response(wanted, **outputs)


def _samples(pieces: Iterator[bytes]) -> Iterator[Any]:
    """Yield whole samples from pieces of any number of bytes."""
    rest = b""
    for piece in pieces:
        joined = rest + piece
        whole = len(joined) // 2 * 2
        rest = joined[whole:]
        if whole:
            yield np.frombuffer(joined[:whole], "<i2")


def _response(wanted: list[str], **outputs: Any) -> Any:
    return triton.InferenceResponse([triton.Tensor(name, values) for name, values in outputs.items() if name in wanted])


def _error(error: Exception) -> Any:
    """Return Triton's error of the right kind; without a kind if this version of Triton has no kinds."""
    asked_wrongly = isinstance(error, ValueError) or getattr(error, "status", 500) < 500
    kind = KINDS.get(getattr(error, "status", 0), "INVALID_ARG" if asked_wrongly else "INTERNAL")
    code = getattr(triton.TritonError, kind, None)
    return triton.TritonError(str(error)) if code is None else triton.TritonError(str(error), code)


@contextmanager
def _until_cancelled(call: Call, sender: Any) -> Iterator[None]:
    """Cancel the call as soon as the client has gone. After the block, no thread uses `sender`."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(LOOK_S):
            if sender.is_cancelled():
                with suppress(OSError):  # the studio has closed the connection already
                    call.stop()
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
