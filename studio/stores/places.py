"""Parse STUDIO_STORES: the kinds of stores, and the address of each store. No store is contacted."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, Self, TypeAlias, cast, get_args
from urllib.parse import SplitResult, parse_qsl, urlsplit

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,62}")
REPO = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)

Addressing = Literal["auto", "path", "virtual"]
Checksum = Literal["when_supported", "when_required"]


class WrongStores(ValueError):
    """STUDIO_STORES has an invalid entry. The message names the entry and shows no credential."""


@dataclass(frozen=True, slots=True)
class FolderPlace:
    title: ClassVar = "folder"  # name of this kind of store on the page
    scheme: ClassVar = "folder:"  # prefix of the address
    form: ClassVar = "folder:/path"

    name: str
    folder: Path

    @property
    def address(self) -> str:
        """Return the address for display."""
        return str(self.folder)

    @classmethod
    def read(cls, name: str, address: str) -> Self:
        """Parse the address of a folder store. Raises WrongStores."""
        path = address.removeprefix(cls.scheme)
        folder = Path(os.path.expanduser(path))  # Path.expanduser would raise an error for an unknown ~user
        if not path or not folder.is_absolute():
            raise WrongStores(f"{name}: a folder store needs an absolute path, as in {name}=folder:/srv/champions")
        return cls(name, folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Place:
    """An S3 bucket and prefix. Empty fields use boto3's defaults."""

    title: ClassVar = "S3"
    scheme: ClassVar = "s3://"
    form: ClassVar = "s3://bucket/prefix"

    name: str
    bucket: str
    prefix: str = ""  # empty, or ends in /
    endpoint: str = ""  # https://host[:port] of an S3-compatible service
    region: str = ""
    profile: str = ""  # profile in the AWS configuration, needed if stores have different credentials
    addressing: Addressing = "auto"
    checksum: Checksum = "when_supported"  # use when_required for services without checksums

    @property
    def address(self) -> str:
        """Return the address for display, with the host of the endpoint only."""
        at = f" at {urlsplit(self.endpoint).netloc}" if self.endpoint else ""
        return f"s3://{self.bucket}/{self.prefix}{at}"

    @classmethod
    def read(cls, name: str, address: str) -> Self:
        """Parse the address of an S3 store. Raises WrongStores."""
        url = _split(name, address)
        options = dict(parse_qsl(url.query, keep_blank_values=True))
        if BUCKET.fullmatch(url.netloc) is None or url.fragment:
            raise WrongStores(
                f"{name}: no valid bucket; write {cls.form}; put credentials into the AWS environment variables or files"
            )
        if unknown := sorted(set(options) - {"endpoint", "region", "profile", "addressing", "checksum"}):
            raise WrongStores(
                f"{name}: unknown option {unknown[0]}; use endpoint, region, profile, addressing or checksum"
            )
        _check_endpoint(name, options.get("endpoint", ""))
        prefix = url.path.strip("/")
        return cls(
            name=name,
            bucket=url.netloc,
            prefix=f"{prefix}/" if prefix else "",
            endpoint=options.get("endpoint", "").rstrip("/"),
            region=options.get("region", ""),
            profile=options.get("profile", ""),
            addressing=cast(Addressing, _one_of(name, "addressing", options, get_args(Addressing))),
            checksum=cast(Checksum, _one_of(name, "checksum", options, get_args(Checksum))),
        )


@dataclass(frozen=True, slots=True)
class HubPlace:
    title: ClassVar = "Hugging Face Hub"
    scheme: ClassVar = "hf://"
    form: ClassVar = "hf://owner/repo"

    name: str
    repo: str

    @property
    def address(self) -> str:
        """Return the address for display."""
        return f"hf://{self.repo}"

    @classmethod
    def read(cls, name: str, address: str) -> Self:
        """Parse the address of a Hub store. Raises WrongStores."""
        repo = address.removeprefix(cls.scheme)
        if REPO.fullmatch(repo) is None:
            raise WrongStores(f"{name}: write a repository of the Hugging Face Hub as {name}={cls.form}")
        return cls(name, repo)


Place: TypeAlias = FolderPlace | S3Place | HubPlace
KINDS: tuple[type[Place], ...] = get_args(Place)
FORMS = " or ".join(f"name={kind.form}" for kind in KINDS)


def parse_stores(written: Sequence[str]) -> tuple[Place, ...]:
    """Parse entries such as `bucket=s3://champions/f5tts-models/?endpoint=https://s3.example.com&addressing=path`.

    Raises WrongStores.
    """
    places = tuple(_place(one) for one in written)
    names = [place.name for place in places]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise WrongStores(f"two stores have the name {twice[0]}; use different names")
    return places


def _place(written: str) -> Place:
    name, _, address = written.partition("=")
    if NAME.fullmatch(name) is None or not address:
        raise WrongStores(f"write each store as {FORMS}; a name has at most 32 lower-case letters, digits, - and _")
    for kind in KINDS:
        if address.startswith(kind.scheme):
            return kind.read(name, address)
    raise WrongStores(f"{name}: unknown kind of store; write {FORMS}")


def _check_endpoint(name: str, written: str) -> None:
    endpoint = _split(name, written)
    if written and (endpoint.scheme not in ("http", "https") or not endpoint.hostname):
        raise WrongStores(f"{name}: write the endpoint as http(s)://host[:port]")
    if "@" in endpoint.netloc or endpoint.query:
        raise WrongStores(
            f"{name}: remove the credentials from the endpoint; put them into the AWS environment variables or files"
        )


def _split(name: str, url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises ValueError for an invalid port
        return parts
    except ValueError:
        raise WrongStores(
            f"{name}: the address or its endpoint is invalid; write s3://bucket/prefix, and the endpoint as http(s)://host[:port]"
        ) from None  # the cause may contain a secret


def _one_of(name: str, option: str, options: dict[str, str], allowed: tuple[str, ...]) -> str:
    value = options.get(option, allowed[0])
    if value not in allowed:
        raise WrongStores(f"{name}: {option} must be one of {', '.join(allowed)}")
    return value
