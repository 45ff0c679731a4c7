"""A model repository on the Hugging Face Hub as a store: archives, metadata, samples and a model card."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, get_session, hf_hub_url
from huggingface_hub.hf_api import RepoFile
from huggingface_hub.utils import build_hf_headers, hf_raise_for_status  # type: ignore[attr-defined]

from studio.stores.backend import CHUNK_BYTES, TransferSettings
from studio.stores.entry import ArchiveFacts, StoreEntry, TransferProgress, archive_name, champion_of, misnamed
from studio.stores.facts import facts_json, read_facts
from studio.stores.hub_card import CardRow, updated_card
from studio.stores.hub_errors import as_store_errors
from studio.stores.hub_timeout import WatchedFile, wait_for
from studio.stores.naming import ARCHIVES
from studio.stores.places import HubPlace
from studio.stores.retry import Retry

CARD = "README.md"
AT_ONCE = 8  # small files that are read in parallel
QUICK_S = 5.0  # time limit of requests for which a user waits

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Tree:
    """The repository's files at one commit."""

    commit: str
    files: Mapping[str, RepoFile]


class HubBackend:
    """A Hub repository as a store.

    Archives are uploaded through LFS. Unlike Xet, LFS reports progress and can be paused.
    """

    def __init__(self, place: HubPlace, settings: TransferSettings, endpoint: str | None = None) -> None:
        """Open a repository. The client finds its token: HF_TOKEN or a login. `endpoint` None means HF_ENDPOINT or the Hub."""
        self._place = place
        self._settings = settings
        self._quick_s = min(QUICK_S, settings.retry_for_s)
        self._endpoint = endpoint
        self._api = HfApi(endpoint=endpoint)
        self._facts: dict[str, ArchiveFacts | None] = {}  # by git's hash of the metadata file

    def list(self) -> Sequence[StoreEntry]:
        tree = self._tree(dated=True)
        return [*self._listed(tree), *misnamed(ARCHIVES, ((path, file.size) for path, file in tree.files.items()))]

    def find(self, id: str) -> StoreEntry | None:
        tree = self._tree()
        return self._entry(tree, id) if archive_name(id) in tree.files else None

    def address(self, id: str) -> str:
        return f"{self._place.address}/{archive_name(id)}"

    def sent(self, id: str, facts: ArchiveFacts) -> int:
        """Return 0: an interrupted upload starts again. Files that were uploaded but not committed are not sent again."""
        return 0

    def send(
        self, id: str, archive: Path, facts: ArchiveFacts, progress: TransferProgress, stop: threading.Event
    ) -> None:
        retry = Retry(self._settings.retry_for_s, stop)

        def send() -> None:
            tree = self._tree()
            with ExitStack() as files:
                watched = files.enter_context(WatchedFile(archive, stop))
                added: dict[str, Any] = {archive_name(id): watched, f"{id}.json": facts_json(facts)}
                if facts.sample is not None:
                    added[_sample(id)] = files.enter_context(WatchedFile(facts.sample, stop))
                sampled = {*tree.files, *added}
                rows = [_row(entry) for entry in self._listed(tree) if entry.id != id]
                added[CARD] = self._card(tree, [*rows, (id, facts.bytes, facts.licence)], sampled)
                operations = [CommitOperationAdd(path, content) for path, content in added.items()]
                watched.count = progress.at  # until now, the files were read only to compute their hashes
                self._commit(f"Keep {id}", operations, tree, stop, watched.tell)

        retry.ask(send)

    def read(self, entry: StoreEntry, start: int, end: int) -> Iterator[bytes]:
        return self._stream(archive_name(entry.id), entry.tag, {"Range": f"bytes={start}-{end - 1}"})

    def delete(self, entry: StoreEntry) -> None:
        def delete() -> None:
            tree = self._tree()
            gone = {archive_name(entry.id), f"{entry.id}.json", _sample(entry.id)} & set(tree.files)
            rows = [_row(one) for one in self._listed(tree) if one.id != entry.id]
            card = self._card(tree, rows, set(tree.files) - gone)
            operations = [CommitOperationDelete(path) for path in sorted(gone)]
            self._commit(f"Delete {entry.id}", [*operations, CommitOperationAdd(CARD, card)], tree)

        Retry(self._quick_s).ask(delete)

    def _tree(self, dated: bool = False) -> Tree:
        def ask() -> Tree:
            repo = self._place.repo
            commit = self._api.model_info(repo, expand=["sha"]).sha or "main"
            entries = self._api.list_repo_tree(repo, recursive=True, expand=dated, revision=commit)
            return Tree(commit, {entry.path: entry for entry in entries if isinstance(entry, RepoFile)})

        return self._ask(ask)

    def _listed(self, tree: Tree) -> Sequence[StoreEntry]:
        ids = [id for path in tree.files if (id := champion_of(path)) is not None]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(lambda id: self._entry(tree, id), ids))

    def _entry(self, tree: Tree, id: str) -> StoreEntry:
        file, facts = tree.files[archive_name(id)], self._read_facts(tree, id)
        sha256 = file.lfs.sha256 if file.lfs else ""
        if facts is not None and (facts.bytes != file.size or sha256 not in ("", facts.sha256)):
            facts = None  # the metadata belongs to another archive
        return StoreEntry(
            id=id,
            bytes=file.size,
            sha256=facts.sha256 if facts else sha256,
            identity=facts.identity if facts else "",
            licence=facts.licence if facts else "",
            changed_at=file.last_commit.date if file.last_commit else None,
            tag=tree.commit,
        )

    def _read_facts(self, tree: Tree, id: str) -> ArchiveFacts | None:
        file = tree.files.get(f"{id}.json")
        if file is None or file.size > CHUNK_BYTES:
            return None
        if file.blob_id not in self._facts:
            self._facts[file.blob_id] = read_facts(self._content(file.path, tree.commit))
        return self._facts[file.blob_id]

    def _card(self, tree: Tree, rows: Sequence[tuple[str, int, str]], paths: set[str]) -> bytes:
        before = self._content(CARD, tree.commit).decode(errors="replace") if CARD in tree.files else ""
        url = {id: self._url(_sample(id), "main") for id, _, _ in rows if _sample(id) in paths}
        shown = [CardRow(id, size, licence, url.get(id, "")) for id, size, licence in sorted(rows)]
        return updated_card(before, self._place.repo, shown).encode()

    def _commit(
        self,
        message: str,
        operations: Sequence[CommitOperationAdd | CommitOperationDelete],
        tree: Tree,
        stop: threading.Event | None = None,
        moved: Callable[[], int] = int,
    ) -> None:
        def commit() -> None:
            for (
                one
            ) in operations:  # if the files were sent together, progress bars would appear on the server's terminal
                if isinstance(one, CommitOperationAdd) and isinstance(one.path_or_fileobj, WatchedFile):
                    self._api.preupload_lfs_files(self._place.repo, [one], free_memory=False)
            self._api.create_commit(self._place.repo, operations, commit_message=message, parent_commit=tree.commit)

        with as_store_errors(self._place):
            wait_for(commit, self._settings.retry_for_s, stop, moved)

    def _content(self, path: str, commit: str) -> bytes:
        return Retry(self._quick_s).ask(lambda: b"".join(self._stream(path, commit, {})))

    def _stream(self, path: str, commit: str, headers: Mapping[str, str]) -> Iterator[bytes]:
        """Yield the bytes of a file or of a range. The client's own download would start again after every pause."""
        asked = {**build_hf_headers(), "Accept-Encoding": "identity", **headers}
        with (
            as_store_errors(self._place),
            get_session().stream(
                "GET", self._url(path, commit), headers=asked, timeout=self._settings.timeout_s
            ) as answer,
        ):
            hf_raise_for_status(answer)
            yield from answer.iter_raw(CHUNK_BYTES)

    def _url(self, path: str, revision: str) -> str:
        return hf_hub_url(self._place.repo, path, revision=revision, endpoint=self._endpoint)

    def _ask(self, question: Callable[[], Result]) -> Result:
        def asked() -> Result:
            with as_store_errors(self._place):
                return wait_for(question, self._settings.timeout_s)

        return Retry(self._quick_s).ask(asked)


def _sample(id: str) -> str:
    return f"samples/{id}.flac"


def _row(entry: StoreEntry) -> tuple[str, int, str]:
    return entry.id, entry.bytes, entry.licence
