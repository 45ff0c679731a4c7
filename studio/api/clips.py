"""Clips: bring one, look at it, judge it, mend it, and hear exactly what an engine would get."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response, UploadFile
from pydantic import BaseModel

from engines.types import Audio
from studio.api.errors import ProblemRoute, SessionId
from studio.history.takes import peaks
from studio.references.clip import Clip, Origin, float_wav
from studio.references.hearings import Hearings
from studio.references.mend import Mend, mend, mended_name, starts_at_s
from studio.references.report import report
from studio.references.transcribe import available, transcribe
from studio.references.window import Window, cut, propose, split_transcript
from studio.studio import Studio
from studio.texts import Transcript

COLUMNS = 600  # of a clip's waveform
DESCRIBED_MAX = 512


class ClipSpan(BaseModel):
    start_s: float
    end_s: float

    def of(self, clip: Clip) -> Audio:
        """Exactly what an engine would get. Raises BadAudio for a window that is not within the clip."""
        return cut(clip.audio, self.window)

    @property
    def window(self) -> Window:
        return Window(self.start_s, self.end_s)


class ClipSpanTranscript(ClipSpan):
    transcript: Transcript


class RepairRequest(ClipSpan):
    name: Mend


def router(studio: Studio) -> APIRouter:
    routes = APIRouter(prefix="/studio/clips", tags=["clips"], route_class=ProblemRoute)
    own, described, hearings = studio.session_clips, _describer(studio), Hearings()
    recogniser = ThreadPoolExecutor(1, "recogniser")  # each thread that ever held its model would keep 50 MB

    @routes.get("")
    def clips(session_id: SessionId) -> dict[str, Any]:
        samples = [described(one.clip_id, one.origin) | {"transcript": one.transcript} for one in own.samples()]
        mine = [described(id, origin) for id, origin in own.mine(session_id).items()]
        return {"samples": samples, "mine": mine, "recogniser": available()}

    @routes.post("")
    def upload(file: UploadFile, session_id: SessionId, request: Request) -> dict[str, Any]:
        studio.visitors.admit(request)
        clip = own.receive(session_id, file.file, _named(file))
        return described(clip.id, clip.origin)

    @routes.get("/{id}")
    def clip(id: str, session_id: SessionId) -> dict[str, Any]:
        return described(id, own.get(session_id, id).origin)

    @routes.delete("/{id}")
    def delete(id: str, session_id: SessionId) -> dict[str, str]:
        studio.disk.delete(lambda: own.delete(session_id, id))
        return {"deleted": id}

    @routes.post("/{id}/restore")
    def restore(id: str, session_id: SessionId) -> dict[str, Any]:
        return described(id, own.restore(session_id, id).origin)

    @routes.get("/{id}/audio.wav")
    def audio(
        id: str, session_id: SessionId, start: Annotated[float, Query()] = 0.0, end: float | None = None
    ) -> Response:
        found = own.get(session_id, id)
        window = ClipSpan(start_s=start, end_s=found.audio.duration_s if end is None else end)
        return Response(float_wav(window.of(found)), media_type="audio/wav", headers={"cache-control": "private"})

    @routes.post("/{id}/report")
    def card(id: str, said: ClipSpanTranscript, session_id: SessionId) -> dict[str, Any]:
        """A page may have asked just before its clip was deleted."""
        found = own.get(session_id, id, deleted=True)
        unmended = studio.clips.unmended(found, said.window)
        heard = hearings.find(id, said.window)
        checks = report(said.of(found), found.source, said.transcript, unmended, heard).checks
        names = ("name", "state", "message", "mend")
        return {"checks": [{name: getattr(check, name) for name in names} for check in checks]}

    @routes.post("/{id}/mend")
    def mended(id: str, mending: RepairRequest, session_id: SessionId, request: Request) -> dict[str, Any]:
        """Trimming is of the window; every other mend is of the whole clip, so that the window stays where it is."""
        studio.visitors.admit(request)
        found = own.get(session_id, id)
        trims = mending.name == "trim"
        audio = mending.of(found) if trims else found.audio
        several = found.source.channels > 1  # else the original kept may be another's, who uploaded the same sound
        better = mend(audio, mending.name, original=studio.clips.original(id) if several else None)
        start_s = mending.start_s * trims + starts_at_s(audio, mending.name)
        parent = None if mending.name == "mono" else found  # which is decoded anew
        kept = own.add_audio(session_id, better, mended_name(found.name, mending.name), parent=parent, start_s=start_s)
        return described(kept.id, kept.origin)

    @routes.post("/{id}/transcribe")
    def heard(id: str, span: ClipSpan, session_id: SessionId) -> dict[str, Any]:
        audio = span.of(own.get(session_id, id))
        heard = hearings.find(id, span.window) or recogniser.submit(transcribe, audio).result()
        hearings.keep(id, span.window, heard)
        return {"transcript": heard, "recogniser": available()}

    @routes.post("/{id}/transcript")
    def words(id: str, said: ClipSpanTranscript, session_id: SessionId) -> dict[str, str]:
        """The words of the whole clip that are probably said within the window."""
        found = own.get(session_id, id)
        return {"transcript": split_transcript(said.transcript, found.audio, said.window)}

    return routes


def _named(file: UploadFile) -> str:
    """Its name, with the quotes that forms write as %22 (WHATWG HTML, multipart/form-data)."""
    return (file.filename or "clip").replace("%22", '"')


def clip_json(clip: Clip, longest_s: float) -> dict[str, Any]:
    """A clip for the page, with windows to choose from, best first."""
    windows = propose(clip.audio, max_s=longest_s)
    return {
        "id": clip.id,
        "name": clip.name,
        "duration_s": clip.audio.duration_s,
        "sample_rate": clip.audio.sample_rate,
        "channels": clip.source.channels,
        "peaks": peaks(clip.audio.samples, COLUMNS),
        "windows": [{"start_s": window.start_s, "end_s": window.end_s} for window in windows],
    }


def _describer(studio: Studio) -> Callable[[str, Origin | None], dict[str, Any]]:
    """Clips never change under their id, so each is read and measured once, whoever brought it."""
    names = [status.name for status in studio.manager.statuses()]
    longest_s = min(studio.manager.reference_max_s(name) for name in names)

    @lru_cache(maxsize=DESCRIBED_MAX)
    def measured(id: str) -> dict[str, Any]:
        return clip_json(studio.clips.get(id), longest_s)

    def described(id: str, origin: Origin | None) -> dict[str, Any]:
        told = {} if origin is None else {"name": origin.name, "channels": origin.source.channels}
        return measured(id) | told

    return described
