"""Clips over HTTP: upload, view, check and repair them, and hear exactly what an engine gets."""

from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response, UploadFile
from pydantic import BaseModel

from engines.audio import peaks
from engines.types import Audio
from studio.api.errors import ProblemRoute, SessionId
from studio.api.texts import Transcript
from studio.ears.serializers import transcript_json
from studio.references.agreement import disagreement
from studio.references.clip import Clip, Origin, float_wav
from studio.references.hearings import Hearings
from studio.references.repairs import Repair, repair, repaired_name, starts_at_s
from studio.references.report import report
from studio.references.window import Window, cut, propose, split_transcript
from studio.studio import Studio

SURE = 0.5  # words with less confidence than this are shown for a check
COLUMNS = 600  # columns of a clip's waveform
DESCRIBED_MAX = 512


class ClipSpan(BaseModel):
    start_s: float
    end_s: float

    def of(self, clip: Clip) -> Audio:
        """Return exactly the audio that an engine gets. Raises BadAudio if the window is outside the clip."""
        return cut(clip.audio, self.window)

    @property
    def window(self) -> Window:
        return Window(self.start_s, self.end_s)


class ClipSpanTranscript(ClipSpan):
    transcript: Transcript


class RepairRequest(ClipSpan):
    name: Repair


def router(studio: Studio) -> APIRouter:
    routes = APIRouter(prefix="/studio/clips", tags=["clips"], route_class=ProblemRoute)
    own, described, hearings = studio.session_clips, _describer(studio), Hearings()
    recogniser = "whisper" if studio.ears.on else None

    def transcript_warning(clip: Clip, said: ClipSpanTranscript) -> str:
        """Return a warning if the words of the part are known or were heard, and the transcript differs from them."""
        if heard := hearings.find(clip.id, said.window):
            return disagreement(heard.text, said.transcript)
        known = next((one.transcript for one in own.samples() if one.clip_id == clip.id), "")
        spoken = split_transcript(known, clip.audio, said.window)
        return disagreement(spoken, said.transcript, "The voice in this part probably says")

    @routes.get("")
    def clips(session_id: SessionId) -> dict[str, Any]:
        samples = [described(one.clip_id, one.origin) | {"transcript": one.transcript} for one in own.samples()]
        mine = [described(id, origin) for id, origin in own.mine(session_id).items()]
        return {"samples": samples, "mine": mine, "recogniser": recogniser}

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
        """Return the report on a part of a clip, also of a deleted clip: the page may have asked before the deletion."""
        found = own.get(session_id, id, deleted=True)
        unrepaired = studio.clips.unrepaired(found, said.window)
        checks = report(
            said.of(found), found.source, said.transcript, unrepaired, transcript_warning(found, said)
        ).checks
        names = ("name", "state", "message")
        return {"checks": [{name: getattr(one, name) for name in names} | {"mend": one.repair} for one in checks]}

    @routes.post("/{id}/mend")
    def repaired(id: str, wanted: RepairRequest, session_id: SessionId, request: Request) -> dict[str, Any]:
        """Trim the clip to the window, or repair the whole clip, so that the window stays valid."""
        studio.visitors.admit(request)
        found = own.get(session_id, id)
        trims = wanted.name == "trim"
        audio = wanted.of(found) if trims else found.audio
        # The original of a mono clip may come from another session that uploaded the same sound.
        several = found.source.channels > 1
        better = repair(audio, wanted.name, original=studio.clips.original(id) if several else None)
        start_s = wanted.start_s * trims + starts_at_s(audio, wanted.name)
        parent = None if wanted.name == "mono" else found  # `mono` decodes the original again
        kept = own.add_audio(session_id, better, repaired_name(found.name, wanted.name), parent=parent, start_s=start_s)
        return described(kept.id, kept.origin)

    @routes.post("/{id}/transcribe")
    def heard(id: str, span: ClipSpan, session_id: SessionId) -> dict[str, Any]:
        audio = span.of(own.get(session_id, id))
        transcript = hearings.find(id, span.window) or studio.ears.transcribe(audio)
        hearings.keep(id, span.window, transcript)
        words = [word | {"sure": word["confidence"] >= SURE} for word in transcript_json(transcript)]
        return {"transcript": transcript.text, "words": words, "recogniser": recogniser}

    @routes.post("/{id}/transcript")
    def words(id: str, said: ClipSpanTranscript, session_id: SessionId) -> dict[str, str]:
        """Return the words of the clip's transcript that are probably spoken within the window."""
        found = own.get(session_id, id)
        return {"transcript": split_transcript(said.transcript, found.audio, said.window)}

    return routes


def _named(file: UploadFile) -> str:
    """Return the name of an upload, with the quotes that forms write as %22 (WHATWG HTML, multipart/form-data)."""
    return (file.filename or "clip").replace("%22", '"')


def clip_json(clip: Clip, longest_s: float) -> dict[str, Any]:
    """Return a clip for the page, with proposed windows, best first."""
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
    """Return a function that describes clips. Each clip is measured once, because a clip never changes."""
    names = [status.name for status in studio.manager.statuses()]
    longest_s = min(studio.manager.reference_max_s(name) for name in names)

    @lru_cache(maxsize=DESCRIBED_MAX)
    def measured(id: str) -> dict[str, Any]:
        return clip_json(studio.clips.get(id), longest_s)

    def described(id: str, origin: Origin | None) -> dict[str, Any]:
        uploaded = {} if origin is None else {"name": origin.name, "channels": origin.source.channels}
        return measured(id) | uploaded

    return described
