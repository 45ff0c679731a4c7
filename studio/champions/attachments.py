"""Attachments: checked fine-tuned weights that can be tried, and then saved with a champion or deleted."""

import secrets
import shutil
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from engines.errors import BadInput
from engines.f5.vetting.process import Vetted
from engines.types import Weights
from studio.champion_format.members import METADATA, TRANSCRIPT, WEIGHTS, write_words
from studio.champions.library import Library
from studio.champions.saved import SavedChampion
from studio.disk.database import saving
from studio.disk.files import link_or_copy
from studio.errors import NotFound

ATTACHMENTS = "attachments"  # folder of the library
UPLOADED, VERIFIED = "weights.safetensors", "verified.safetensors"


class UnknownAttachment(NotFound, BadInput):
    """The attachment does not exist: it was saved or deleted, or the studio restarted."""


class VetWeights(Protocol):
    """Checks weights in a child process, and writes them as safetensors, and as `model.pt` if they are in another format."""

    def __call__(
        self, weights: Path, safetensors: Path, *, pt: Path | None = None, stop: threading.Event | None = None
    ) -> Vetted:
        """Check and convert weights. Raises EngineError, Cancelled once `stop` is set."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """Verified weights that are not saved with a version of the champion yet."""

    id: str
    champion: str
    vetted: Vetted
    folder: Path


class Attachments:
    """The attachments of this process."""

    def __init__(self, library: Library, vet: VetWeights) -> None:
        self._library = library
        self._vet = vet
        self._attachments: dict[str, Attachment] = {}

    def attach(self, champion: str, weights: Path, stop: threading.Event) -> Attachment:
        """Check weights in a child process. Raises EngineError, Cancelled; then no file is left behind.

        The file of the weights is moved.
        """
        id = secrets.token_urlsafe(12)
        folder = self._library.folder / ATTACHMENTS / id
        try:
            self._library.get(champion)
            with saving():
                folder.mkdir(parents=True)
                weights = weights.rename(folder / (WEIGHTS if weights.suffix == ".pt" else UPLOADED))
            made = None if weights.name == WEIGHTS else folder / WEIGHTS
            vetted = self._vet(weights, folder / VERIFIED, pt=made, stop=stop)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        finally:
            if weights.name != WEIGHTS:
                weights.unlink(missing_ok=True)
        self._attachments[id] = Attachment(id=id, champion=champion, vetted=vetted, folder=folder)
        return self._attachments[id]

    def weights(self, id: str) -> Weights:
        """Return the weights of an attachment, so that an engine can speak with them. Raises UnknownAttachment."""
        attachment = self.get(id)
        return Weights(
            str(attachment.folder / VERIFIED), attachment.vetted.sha256, f"{attachment.champion}, unsaved weights"
        )

    def save(self, id: str) -> SavedChampion:
        """Save an attachment as a new version of its champion. Raises UnknownAttachment, ChampionConflict, NotSaved."""
        attachment = self.get(id)
        saved = self._library.get(attachment.champion)
        with self._library.staging() as folder:
            self._library.stage(saved, folder, without=(METADATA, TRANSCRIPT, WEIGHTS))
            write_words(folder, replace(saved.champion, fine_tuned=True))
            for name in (WEIGHTS, VERIFIED):
                link_or_copy(attachment.folder / name, folder / name)
            tuned = self._library.publish(folder, expected=saved.version, weights=folder / VERIFIED)
        self.drop(id)
        return tuned

    def drop(self, id: str) -> None:
        """Delete an attachment. Raises UnknownAttachment."""
        shutil.rmtree(self.get(id).folder, ignore_errors=True)
        del self._attachments[id]

    def get(self, id: str) -> Attachment:
        """Return an attachment. Raises UnknownAttachment."""
        if id not in self._attachments:
            raise UnknownAttachment("these weights are no longer available; attach the weights again")
        return self._attachments[id]
