"""The Hub's protocol, as far as a model repository of archives needs it, spoken by a server of our own.

The real client talks to it. Xet is not among what it speaks: the Hub offers that beside the LFS door tried here.
"""

import base64
import hashlib
import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

LFS = (".tar.gz", ".flac")
REPO = "studio/voices"


@dataclass
class Hub:
    """One repository: files by path, at every commit."""

    token: str = "hf_test"
    part_bytes: int = 0  # 0 = uploads in one piece
    commits: list[dict[str, bytes]] = field(default_factory=lambda: [{".gitattributes": b"*.gz filter=lfs\n"}])
    blobs: dict[str, bytes] = field(default_factory=dict)  # LFS content by SHA-256
    received: int = 0  # bytes of LFS content, whether kept or not
    pieces: dict[tuple[str, int], bytes] = field(default_factory=dict)
    before_commit: list = field(default_factory=list)  # each runs once, as somebody else's commit

    def __post_init__(self) -> None:
        handler = type("Bound", (_Handler,), {"hub": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.port = self._server.server_address[1]
        self.lock = threading.Lock()
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def head(self) -> str:
        return self.name(len(self.commits) - 1)

    @property
    def files(self) -> dict[str, bytes]:
        return self.commits[-1]

    def name(self, index: int) -> str:
        return hashlib.sha1(f"commit {index}".encode()).hexdigest()

    def at(self, revision: str) -> dict[str, bytes]:
        return next((files for i, files in enumerate(self.commits) if self.name(i) == revision), self.commits[-1])

    def entry(self, path: str, content: bytes) -> dict:
        entry = {"type": "file", "path": path, "size": len(content), "oid": hashlib.sha1(content).hexdigest()}
        when = {"id": self.head, "title": "t", "date": "2026-01-02T03:04:05.000Z"}
        lfs = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 130}
        return entry | {"lastCommit": when} | ({"lfs": lfs} if path.endswith(LFS) else {})


class _Handler(BaseHTTPRequestHandler):
    hub: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if found := re.fullmatch(rf"/{REPO}/resolve/(\w+)/(.+)", path):
            return self._content(self.hub.at(found[1]).get(found[2]))
        if not self._may():
            return None
        if found := re.fullmatch(rf"/api/models/{REPO}/tree/(\w+)/?", path):
            return self._json([self.hub.entry(*item) for item in self.hub.at(found[1]).items()])
        if path == f"/api/models/{REPO}":
            return self._json({"id": REPO, "sha": self.hub.head})
        return self._json({"error": "Repository not found"}, 404, {"X-Error-Code": "RepoNotFound"})

    def do_POST(self) -> None:
        body, url = self._body(), urlsplit(self.path)
        if url.path == "/api/validate-yaml":
            return self._json({"errors": [], "warnings": []})
        if url.path.startswith("/lfs-done/"):
            oid = url.path.rsplit("/", 1)[1]
            parts = sorted(part["partNumber"] for part in json.loads(body)["parts"])
            return self._keep(oid, b"".join(self.hub.pieces[oid, part] for part in parts))
        if not self._may(write=True):
            return None
        if url.path == f"/{REPO}.git/info/lfs/objects/batch":
            return self._json({"objects": [self._action(one) for one in json.loads(body)["objects"]]})
        if url.path.startswith(f"/api/models/{REPO}/preupload/"):
            return self._json({"files": [self._mode(one["path"]) for one in json.loads(body)["files"]]})
        if url.path.startswith(f"/api/models/{REPO}/commit/"):
            return self._commit([json.loads(line) for line in body.splitlines()])
        return self._json({"error": "Repository not found"}, 404, {"X-Error-Code": "RepoNotFound"})

    def do_PUT(self) -> None:
        body, url = self._body(), urlsplit(self.path)
        oid = url.path.rsplit("/", 1)[1]
        with self.hub.lock:
            self.hub.received += len(body)
        if part := parse_qs(url.query).get("part"):
            self.hub.pieces[oid, int(part[0])] = body
            return self._json({}, headers={"ETag": f'"{hashlib.md5(body).hexdigest()}"'})
        return self._keep(oid, body)

    def _keep(self, oid: str, content: bytes) -> None:
        if hashlib.sha256(content).hexdigest() != oid:  # as the storage behind the Hub does
            return self._json({"error": "content does not match its hash"}, 400)
        self.hub.blobs[oid] = content
        return self._json({})

    def _action(self, wanted: dict) -> dict:
        answer, base = {"oid": wanted["oid"], "size": wanted["size"]}, f"http://{self.headers['Host']}"
        if wanted["oid"] in self.hub.blobs:
            return answer
        upload: dict = {"href": f"{base}/lfs/{wanted['oid']}"}
        if self.hub.part_bytes:
            count = -(-wanted["size"] // self.hub.part_bytes)
            parts = {str(n): f"{base}/lfs/{wanted['oid']}?part={n}" for n in range(1, count + 1)}
            upload = {
                "href": f"{base}/lfs-done/{wanted['oid']}",
                "header": {"chunk_size": str(self.hub.part_bytes), **parts},
            }
        return answer | {"actions": {"upload": upload}}

    def _mode(self, path: str) -> dict:
        return {"path": path, "uploadMode": "lfs" if path.endswith(LFS) else "regular", "shouldIgnore": False}

    def _commit(self, lines: list[dict]) -> None:
        if self.hub.before_commit:
            self.hub.before_commit.pop()(self.hub)
        with self.hub.lock:
            header, files = lines[0]["value"], dict(self.hub.files)
            if header.get("parentCommit", self.hub.head) != self.hub.head:
                return self._json({"error": "a commit has happened since"}, 412)
            for line in lines[1:]:
                value = line["value"]
                if line["key"] == "file":
                    files[value["path"]] = base64.b64decode(value["content"])
                elif line["key"] == "lfsFile":
                    files[value["path"]] = self.hub.blobs[value["oid"]]
                else:
                    del files[value["path"]]
            self.hub.commits.append(files)
        url = f"http://{self.headers['Host']}/{REPO}/commit/{self.hub.head}"
        return self._json({"success": True, "commitOid": self.hub.head, "commitUrl": url})

    def _may(self, write: bool = False) -> bool:
        given = self.headers.get("authorization", "")
        if given == f"Bearer {self.hub.token}":
            return True
        if given == "Bearer hf_reader":
            if not write:
                return True
            self._json({"error": "you need write access"}, 403)
        else:
            self._json({"error": "Repository not found"}, 401, {"X-Error-Code": "RepoNotFound"})
        return False

    def _content(self, content: bytes | None) -> None:
        if not self._may():
            return None
        if content is None:
            return self._json({"error": "Entry not found"}, 404, {"X-Error-Code": "EntryNotFound"})
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("range", ""))
        if not asked:
            return self._send(200, content, {})
        start, end = int(asked[1]), int(asked[2])
        return self._send(206, content[start : end + 1], {"Content-Range": f"bytes {start}-{end}/{len(content)}"})

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("content-length", 0)))

    def _json(self, value: object, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self._send(status, json.dumps(value).encode(), {"Content-Type": "application/json", **(headers or {})})

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
