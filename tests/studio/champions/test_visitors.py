"""Visitors of a studio that listens to everybody: whatever is the owner's alone is refused to them, however they ask."""

import base64
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError

from studio.champions.library import Library
from studio.order import Order
from studio.settings import Settings
from studio.studio import Studio
from studio.web.ownership import COOKIE
from studio.web.session import COOKIE as SESSION
from studio.web.session import SESSION_HEADER, session_id_of
from tests.browser.serving import Served, serving
from tests.engines.metronome import Metronome
from tests.studio.champions.voices import TRANSCRIPT, keep
from tests.studio.house import ENGINE, ready, served, studio_of, web

USER, PASSWORD = "ann", "s3cret-päss"
LOGIN = f"{USER}:{PASSWORD}"
OWNER = {"authorization": f"Basic {base64.b64encode(LOGIN.encode()).decode()}"}
# What a visitor may do among everything of champions, stores, jobs and engines.
VISITORS = {
    "GET /studio/champions",
    "GET /studio/champions/{id}",
    "GET /studio/champions/{id}/reference.wav",
    "GET /studio/champions/{id}/portrait",
    "GET /studio/engines",
    "GET /studio/engines/available",
}
OWNED = re.compile(r"/studio/(champions|drafts|attachments|stores|jobs|engines)\b.*")
FILLED = {"id": "ahri", "name": "shelf", "take": "none", "cache": "references"}


@dataclass(frozen=True, slots=True)
class Place:
    studio: Studio
    url: str

    def client(self, **how: Any) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=300.0, **how)

    def state(self) -> object:
        """All that a visitor could have changed."""
        champions, engines = self.studio.champions, self.studio.manager.statuses()
        return (
            [(kept.champion, kept.version) for kept in champions.list()],
            champions.versions("ahri"),
            champions.jobs.list(),
            [(held.id, held.sha256) for held in champions.stores["shelf"].list()],
            [engine.state for engine in engines],
        )

    def owned(self) -> list[tuple[str, str]]:
        """Method and path of every route that is not a visitor's, as the application itself lists them."""
        paths: Mapping[str, Mapping[str, object]] = httpx.get(f"{self.url}/openapi.json").json()["paths"]
        every = {(method.upper(), path) for path in paths if OWNED.fullmatch(path) for method in paths[path]}
        assert {f"{method} {path}" for method, path in every} >= VISITORS
        owned = [(method, path) for method, path in sorted(every) if f"{method} {path}" not in VISITORS]
        return [
            (method, path.replace("engines/{name}", f"engines/{ENGINE}").format(**FILLED)) for method, path in owned
        ]


@pytest.fixture(scope="module", params=["", LOGIN], ids=["no login", "login"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("place")
    (folder / "shelf").mkdir()
    settings = Settings(
        host="0.0.0.0", data_dir=folder / "data", login=request.param, stores=f"shelf=folder:{folder / 'shelf'}"
    )
    with studio_of(folder, Metronome(), settings=settings) as studio, served(web(studio)) as url:
        with httpx.Client(base_url=url, timeout=300.0) as client:
            ready(client)
        keep(Library(studio.settings.data_dir), notes="between us")
        yield Place(studio, url)


def status_of(place: Place) -> int:
    return 401 if place.studio.settings.login.get_secret_value() else 403


def test_there_are_owned_routes(place: Place) -> None:
    named = {f"{method} {path}" for method, path in place.owned()}
    assert len(named) >= 29
    assert {"DELETE /studio/champions/ahri", "POST /studio/stores/shelf/ahri/push", "GET /studio/jobs"} <= named


def test_a_visitor_is_refused_every_one_of_them(place: Place) -> None:
    before = place.state()
    with place.client() as visitor:
        for method, path in place.owned():
            answer = visitor.request(method, path, json={} if method in ("POST", "PUT") else None)
            assert (answer.status_code, "STUDIO_LOGIN" in answer.json()["detail"]) == (status_of(place), True), path
    assert place.state() == before


def test_no_header_or_cookie_makes_a_visitor_the_owner(place: Place) -> None:
    with place.client() as owner:
        if place.studio.settings.login.get_secret_value():
            assert owner.post("/studio/login", json={"user": USER, "password": PASSWORD}).json() == {"owner": True}
        owner.get("/studio/me")
        session = owner.cookies[SESSION]
    forgeries: list[dict[str, str]] = [
        {SESSION_HEADER: session_id_of(session)},
        {SESSION_HEADER.upper(): session_id_of(session)},
        {SESSION_HEADER.replace("-", "_"): session_id_of(session)},
        {"cookie": f"{SESSION}={session}"},  # whose takes it has, and no more
        {"cookie": f"{SESSION}={session}; {COOKIE}={session}"},
        {"cookie": f"{COOKIE}={session_id_of(session)}"},
        {"cookie": f"{COOKIE}="},
        {"authorization": "Bearer x"},
        {"host": "localhost", "x-forwarded-for": "127.0.0.1", "x-forwarded-host": "localhost"},
        {"host": "127.0.0.1", "x-real-ip": "127.0.0.1", "forwarded": "for=127.0.0.1"},
    ]
    before = place.state()
    for headers in forgeries:
        for method, path in (("DELETE", "/studio/champions/ahri"), ("GET", "/studio/jobs")):
            assert httpx.request(method, f"{place.url}{path}", headers=headers).status_code == status_of(place), headers
    assert place.state() == before


def test_a_visitor_sees_champions_without_what_is_the_owners(place: Place) -> None:
    with place.client() as visitor:
        (reported,) = visitor.get("/studio/champions").json()
        assert visitor.get("/studio/champions/ahri").json() == reported
        assert (reported["title"], reported["notes"], reported["consent"]) == ("Ahri", "", None)
        assert "between us" not in visitor.get(f"/studio/champions/ahri?version={reported['version']}").text
        assert visitor.get("/studio/champions/ahri/reference.wav").content[:4] == b"RIFF"


def test_what_a_visitor_sends_for_the_owner_is_never_stored(place: Place) -> None:
    uploads = place.studio.settings.data_dir / "uploads"
    with place.client() as visitor:
        for path in ("/studio/champions/import", "/studio/champions/ahri/weights?name=model.pt"):
            for content in (bytes(3_000_000), iter([bytes(1_000_000)] * 3)):
                assert visitor.post(path, content=content).status_code == status_of(place)
    assert not uploads.exists()


def test_only_what_goes_to_the_disk_may_be_large(place: Place) -> None:
    with place.client() as visitor:
        larger = bytes(place.studio.settings.max_upload_bytes + 100_000)
        for path in ("/studio/champions/import", "/studio/champions/ahri/weights"):
            assert visitor.put(path, content=larger).status_code == 413


def test_another_visitors_takes_are_unknown(place: Place) -> None:
    with place.client() as ann, place.client() as bob:
        sample = ann.get("/studio/clips").json()["samples"][0]
        bob.get("/studio/me")
        order = Order(text="mine", clip_id=sample["id"], start_s=0, end_s=3.5, transcript="one", engine=ENGINE)
        spoken = place.studio.speaking.speak(order, session_id=session_id_of(ann.cookies[SESSION]))
        assert spoken.wait(10.0)
        path = f"/studio/takes/{spoken.result().id}"
        assert ann.get(path).status_code == 200
        asked = [
            bob.get(path),
            bob.get(f"{path}/audio.wav"),
            bob.get(path, headers={SESSION_HEADER: session_id_of(ann.cookies[SESSION])}),
            bob.post(f"{path}/star", json={"starred": True}),
            bob.delete(path),
            bob.get(f"/studio/takes.zip?ids={spoken.result().id}"),
            bob.get(f"/studio/live/{spoken.id}"),
            bob.get(f"/studio/live/{spoken.id}.pcm"),
            bob.post(f"/studio/live/{spoken.id}/cancel"),
        ]
        assert [answer.status_code for answer in asked] == [404] * len(asked)
        assert bob.get("/studio/takes").json() == []


# Over HTTP, with a login.


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[Place]:
    settings = Settings(host="0.0.0.0", data_dir=tmp_path / "data", login=LOGIN)
    with studio_of(tmp_path, Metronome(), settings=settings) as studio, served(web(studio)) as url:
        keep(Library(studio.settings.data_dir), notes="between us")
        yield Place(studio, url)


def test_logging_in_makes_this_browser_the_owners_until_it_logs_out(locked: Place) -> None:
    with locked.client() as ann, locked.client() as bob:
        assert ann.get("/studio/me").json() == {"owner": False, "login": "basic"}
        answer = ann.post("/studio/login", json={"user": USER, "password": PASSWORD})
        cookie = next(one for one in answer.headers.get_list("set-cookie") if one.startswith(COOKIE))
        assert all(word in cookie for word in ("HttpOnly", "SameSite=Strict", "Path=/"))
        assert ann.get("/studio/me").json()["owner"] is True
        assert ann.get("/studio/champions").json()[0]["notes"] == "between us"
        assert bob.get("/studio/me").json()["owner"] is False
        assert ann.post("/studio/logout").json() == {"owner": False}
        assert ann.delete("/studio/champions/ahri").status_code == 401


def test_a_wrong_login_is_refused_in_words_and_no_browser_asks_in_its_own(locked: Place) -> None:
    with locked.client() as ann:
        answers = [ann.post("/studio/login", json={"user": USER, "password": f"guess {n}"}) for n in range(4)]
        assert [answer.status_code for answer in answers] == [401, 401, 401, 429]
        assert "wrong user or password" in answers[0].json()["detail"]
        assert "basic" not in answers[0].headers["www-authenticate"].lower()
        assert (answers[3].headers["retry-after"], "wait 1 s" in answers[3].json()["detail"]) == ("1", True)
        assert ann.post("/studio/login", json={"user": USER, "password": PASSWORD}).status_code == 200


def test_a_changing_forwarded_address_makes_no_new_guesser(locked: Place) -> None:
    with locked.client() as eve:
        answers = [
            eve.post(
                "/studio/login",
                json={"user": USER, "password": f"eve {n}"},
                headers={"x-forwarded-for": f"203.0.113.{n}", "x-real-ip": f"203.0.113.{n}"},
            )
            for n in range(6)
        ]
        assert [answer.status_code for answer in answers][-3:] == [429, 429, 429]
        assert eve.post("/studio/login", json={"user": USER, "password": PASSWORD}).status_code == 200


def test_a_studio_without_a_login_says_so(tmp_path: Path) -> None:
    with studio_of(tmp_path, Metronome()) as studio, served(web(studio)) as url:
        assert httpx.get(f"{url}/studio/me").json() == {"owner": True, "login": "none"}
        answer = httpx.post(f"{url}/studio/login", json={"user": "ann", "password": "x"})
        assert (answer.status_code, "STUDIO_LOGIN" in answer.json()["detail"]) == (403, True)


def test_another_sites_page_cannot_spend_the_owners_login(locked: Place) -> None:
    with locked.client() as ann:
        ann.post("/studio/login", json={"user": USER, "password": PASSWORD})
        for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"}):
            for headers_with in (headers, headers | OWNER):
                assert ann.delete("/studio/champions/ahri", headers=headers_with).status_code == 403
            assert ann.post("/studio/logout", headers=headers).status_code == 403
        bearer = {"origin": "https://evil.example", "authorization": "Bearer x"}  # which the guard lets through
        assert ann.delete("/studio/champions/ahri", headers=bearer).status_code == 401
        assert ann.delete("/studio/champions/ahri").status_code == 200


def test_no_log_and_no_refusal_holds_a_password(locked: Place, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    with locked.client() as ann:
        forms: list[object] = [
            {"user": USER, "password": "hunter2hunter2"},
            {"user": "hunter2hunter2"},
            "hunter2hunter2",
        ]
        said = [ann.post("/studio/login", json=form).text for form in forms]
        said += [ann.get("/studio/jobs", auth=(USER, "hunter2hunter2")).text]
        said += [ann.post("/studio/login", json={"user": USER, "password": PASSWORD}).text]
    assert "wrong login from 127.0.0.1" in caplog.text
    for reported in (caplog.text, *said):
        assert not any(secret in reported for secret in ("hunter2hunter2", PASSWORD, OWNER["authorization"][6:]))


# The whole studio, as it is started, on every address of this machine.


@dataclass(frozen=True, slots=True)
class Public:
    served: Served
    url: str  # at an address that is not loopback's, where the machine has one
    data_dir: Path

    @property
    def library(self) -> Library:
        return Library(self.data_dir)

    def client(self, headers: Mapping[str, str] | None = None) -> Client:
        return Client(self.url, headers=dict(headers or {}), verbose=False, download_files=str(self.data_dir.parent))

    def called(self, endpoint: str, data: list[Any], headers: Mapping[str, str] | None = None) -> str:
        """What Gradio's own door says to a raw request."""
        with httpx.Client(base_url=f"{self.url}/gradio_api/call", timeout=300.0, headers=headers) as client:
            answer = client.post(endpoint, json={"data": data})
            if answer.status_code == 400:  # refused before it was queued
                return f"event: error\ndata: {answer.text}"
            event = answer.json()["event_id"]
            return client.get(f"{endpoint}/{event}").text


def file_of(path: object) -> dict[str, Any]:
    """A file as Gradio's clients name it."""
    return {"path": str(path), "meta": {"_type": "gradio.FileData"}}


def own_address() -> str:
    addresses = [one.address for some in psutil.net_if_addrs().values() for one in some if one.family.name == "AF_INET"]
    return next((address for address in addresses if not address.startswith("127.")), "127.0.0.1")


@pytest.fixture(scope="module", params=["", LOGIN], ids=["no login", "login"])
def public(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Public]:
    data_dir = tmp_path_factory.mktemp("public") / "data"
    keep(Library(data_dir))
    login = {"STUDIO_LOGIN": request.param} if request.param else {}
    settings = {"STUDIO_HOST": "0.0.0.0", "STUDIO_ENGINES": "f5", "STUDIO_MAX_UPLOAD_MB": 1, "STUDIO_MAX_WEIGHTS_MB": 3}
    with serving(data_dir, **settings, **login) as studio:
        yield Public(studio, studio.url.replace("127.0.0.1", own_address()), data_dir)


def test_a_visitors_program_is_refused_at_the_named_endpoints(public: Public) -> None:
    for headers in ({}, {SESSION_HEADER: "x" * 32, "x-forwarded-for": "127.0.0.1"}, {"authorization": "Bearer x"}):
        visitor = public.client(headers)
        with pytest.raises(AppError, match="STUDIO_LOGIN"):
            visitor.predict(champion="ahri", api_name="/package")
        with pytest.raises(AppError, match="STUDIO_LOGIN"):
            visitor.predict(archive=handle_file(public.served.log), api_name="/import")
    assert not (public.data_dir / "champions" / "archives").exists()


def test_a_visitor_is_refused_at_gradios_own_doors(public: Public) -> None:
    (path,) = httpx.post(f"{public.url}/gradio_api/upload", files={"files": b"an archive"}).json()
    for endpoint, sent in (("package", "ahri"), ("import", file_of(path))):
        assert "STUDIO_LOGIN" in public.called(endpoint, [sent])
        assert httpx.post(f"{public.url}/gradio_api/run/{endpoint}", json={"data": [sent]}).status_code >= 400
    assert not (public.data_dir / "champions" / "archives").exists()


def test_gradio_serves_nothing_of_the_data_folder(public: Public) -> None:
    metadata = public.library.path(public.library.get("ahri"), "metadata.json")
    for path in (public.data_dir / "studio.sqlite", metadata, public.served.log):
        near = f"{public.data_dir}/gradio/../{path.relative_to(public.data_dir)}"
        for address in (path, near):
            assert httpx.get(f"{public.url}/gradio_api/file={address}").status_code == 403


@pytest.mark.parametrize("endpoint", ["import", "speak"])
def test_gradio_takes_no_file_of_this_machine_that_was_not_uploaded(public: Public, endpoint: str) -> None:
    before = set((public.data_dir / "gradio").rglob("*"))
    for path in (public.data_dir / "studio.sqlite", __file__, public.data_dir / "gradio" / ".." / "studio.sqlite"):
        assert "upload the file first" in public.called(endpoint, [file_of(path)], OWNER)
    assert set((public.data_dir / "gradio").rglob("*")) == before


def test_a_visitor_uploads_no_more_to_gradio_than_a_clip(public: Public) -> None:
    for content in (bytes(2_000_000), bytes(4_000_000)):
        answer = httpx.post(f"{public.url}/gradio_api/upload", files={"files": content})
        assert (answer.status_code, "larger than 1 MB" in answer.json()["detail"]) == (413, True)


with_login = pytest.mark.parametrize("public", [LOGIN], indirect=True, ids=["login"])


@with_login
def test_the_owners_program_packages_and_imports(public: Public) -> None:
    owner = public.client(OWNER)
    archive = owner.predict(champion="ahri", api_name="/package")
    assert Path(archive).name == "ahri.tar.gz"
    reported = owner.predict(archive=handle_file(archive), as_id="fox", api_name="/import")
    assert (reported["id"], reported["transcript"]) == ("fox", TRANSCRIPT)
    assert public.library.get("fox").version == reported["version"]
    assert list((public.data_dir / "uploads").iterdir()) == []


@with_login
def test_the_named_endpoints_refuse_in_words_what_is_no_archive_and_no_upload(public: Public) -> None:
    owner = public.client(OWNER)
    with pytest.raises(AppError, match="not found"):
        owner.predict(champion="nobody", api_name="/package")
    with pytest.raises(AppError, match="not a gzip file"):
        owner.predict(archive=handle_file(__file__), api_name="/import")
    assert "no file received" in public.called("import", [None], OWNER)


@with_login
def test_a_packaged_archive_lies_where_nobody_can_guess(public: Public) -> None:
    said = public.called("package", ["ahri"], OWNER)
    path = Path(json.loads(said.rpartition("data: ")[2])[0]["path"])
    assert (path.name, len(path.parent.name)) == ("ahri.tar.gz", 22)
    assert path.parent.parent == public.data_dir / "gradio"
    assert path.stat().st_nlink > 1  # on the disk once
    for guess in (path.parent.parent / path.name, public.data_dir / "champions" / "archives"):
        assert httpx.get(f"{public.url}/gradio_api/file={guess}").status_code == 403


@with_login
def test_the_owners_uploads_to_gradio_may_be_archives(public: Public) -> None:
    path = f"{public.url}/gradio_api/upload"
    assert httpx.post(path, files={"files": bytes(2_000_000)}, headers=OWNER).status_code == 200
    refused = httpx.post(path, files={"files": bytes(4_000_000)}, headers=OWNER)
    assert (refused.status_code, "STUDIO_MAX_WEIGHTS_MB" in refused.json()["detail"]) == (413, True)


@with_login
def test_a_browser_that_logged_in_uses_the_named_endpoints(public: Public) -> None:
    answer = httpx.post(f"{public.url}/studio/login", json={"user": USER, "password": PASSWORD})
    cookies = {"cookie": f"{COOKIE}={answer.cookies[COOKIE]}"}
    assert "event: complete" in public.called("package", ["ahri"], cookies)


def test_a_line_one_visitor_spoke_is_unknown_to_the_next(public: Public) -> None:
    line = ["A line.", "", 0, 0, "", "f5", 7, 1, 2]
    with (
        httpx.Client(base_url=public.url, timeout=300.0) as ann,
        httpx.Client(base_url=public.url, timeout=300.0) as bob,
    ):
        ann.get("/studio/me")
        cookies = {"cookie": f"{SESSION}={ann.cookies[SESSION]}"}
        assert "event: complete" in public.called("speak", line, cookies)
        (take,) = ann.get("/studio/takes").json()
        bob.get("/studio/me")
        forged = {SESSION_HEADER: session_id_of(ann.cookies[SESSION])}
        for headers in ({}, forged, OWNER):  # not even the studio's owner hears what somebody else made
            assert bob.get("/studio/takes", headers=headers).json() == []
            assert bob.get(f"/studio/takes/{take['id']}/audio.wav", headers=headers).status_code == 404
            assert bob.delete(f"/studio/takes/{take['id']}", headers=headers).status_code == 404
