"""Send packed champions from a folder or a store to the S3 prefix of an endpoint. Champions that are there are skipped."""

import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from deploy.sagemaker.errors import DeployError
from engines.types import Progress
from studio.archive import Packed, Verdict, renew, verify
from studio.settings import Settings
from studio.stores.entry import ArchiveFacts
from studio.stores.errors import UnknownStore
from studio.stores.factory import open_stores
from studio.stores.places import FolderPlace, Place, S3Place
from studio.stores.store import Store


def sync(source: str, target: str) -> Iterator[str]:
    """Send all archives, and yield a sentence for each. Raises DeployError, StoreError, WrongStores, WrongSettings.

    `source` is a folder, or the name of one of STUDIO_STORES. `target` is s3://bucket/prefix, with options as for S3 stores.
    """
    settings = Settings.load()
    places: list[Place] = [_source(source, settings), S3Place.read("target", target)]
    stores = open_stores(places, settings.data_dir / "sync")
    here, there = stores[places[0].name], stores["target"]
    for entry in here.list():
        yield entry.note or _send(entry.id, here, there)


def _source(source: str, settings: Settings) -> Place:
    if Path(source).is_dir():
        return FolderPlace("source", Path(source).resolve())
    known = {place.name: place for place in settings.stores}
    if source not in known:
        raise UnknownStore(f"{source} is neither a folder nor one of STUDIO_STORES; correct it")
    return known[source]


def _send(id: str, here: Store, there: Store) -> str:
    """Send an archive with this studio's files for Triton, because the endpoint runs the code in the archive."""
    stop = threading.Event()
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / f"{id}.tar.gz"
        entry = here.pull(id, archive, _quiet, stop)
        verdict = verify(archive, _quiet, stop)
        if verdict.champion is None or verdict.champion.id != id:
            raise DeployError(f"{id}: {verdict.wrong or 'the archive has another champion'}; package it again")
        sent: Verdict | Packed = verdict
        if not verdict.serves or verdict.outdated:
            sent = renew(archive, archive, _quiet, stop)
        facts = ArchiveFacts(sha256=sent.sha256, identity=sent.identity, bytes=sent.bytes, licence=entry.licence)
        plan = there.plan_push(id, facts)
        there.push(id, archive, facts, _quiet, stop)
    if plan.action == "nothing":
        return f"{id} is already there"
    renewed = "" if sent is verdict else ", with new files for Triton"
    return f"{id} was sent{renewed}, {sent.bytes / 1e6:,.1f} MB"


def _quiet(progress: Progress) -> None:
    """Ignore progress."""
