"""Types of settings: how the values of environment variables are read and checked."""

import re
from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, SecretStr
from pydantic_settings import NoDecode

from studio.languages import is_tag, read_tag
from studio.stores.places import Place, parse_stores

DEVICE = re.compile(r"auto|cpu|mps|cuda(:\d+)?")
SITE = re.compile(r"https://[\w.*-]+(:\d+)?")
ORIGIN = re.compile(r"[a-z][a-z\d+.-]*://([\w.-]+|\[[\da-f:]+\])(:\d+)?")  # apps with a web view have other schemes
ROOT_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)+")
KEY_MIN = 16  # characters
Network = IPv4Network | IPv6Network


def read_keys(keys: SecretStr) -> dict[str, str]:
    """Return the names of API keys, by key. Raises ValueError, whose message shows no key."""
    listed = [part.strip().partition(":") for part in keys.get_secret_value().split(",") if part.strip()]
    if not all(name and len(key) >= KEY_MIN for name, _, key in listed):
        raise ValueError(f"write each key as name:key, with at least {KEY_MIN} characters that nobody can guess")
    names = {key: name for name, _, key in listed}
    if not len({*names.values()}) == len(names) == len(listed):
        raise ValueError("two keys or two names are equal; use different keys and names")
    return names


def is_root_path(path: str) -> bool:
    """Return True if the path can be the prefix of all addresses of the studio."""
    return ROOT_PATH.fullmatch(path) is not None and not {".", ".."} & {*path.split("/")}


def _listed(value: object) -> object:
    """Split a comma-separated value such as `f5,s1`."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def _stores(value: object) -> object:
    """Parse the stores. Raises WrongStores, a ValueError, whose message shows no credential."""
    listed = _listed(value)
    return parse_stores(listed) if isinstance(listed, tuple) else listed


def _networks(value: object) -> object:
    listed = _listed(value)
    return tuple(map(_network, listed)) if isinstance(listed, tuple) else listed


def _network(written: object) -> Network:
    """Read an address or a network. Raises ValueError."""
    try:
        network = ip_network(str(written))
    except ValueError:
        raise ValueError("write each proxy as an address or a network, such as 127.0.0.1 or 10.0.0.0/8") from None
    if network.prefixlen == 0:
        raise ValueError(
            "write the addresses of your proxies; a network of all addresses is not allowed, because "
            "every client could then forge its address"
        )
    return network


def _aliases(value: object) -> object:
    """Read `alloy:amber,tts-1:f5` as a mapping of aliases to names. Raises ValueError."""
    listed = _listed(value)
    if not isinstance(listed, tuple):
        return listed
    parts = [str(pair).partition(":") for pair in listed]
    pairs = [(alias.strip(), name.strip()) for alias, _, name in parts]
    if not all(alias and name and alias != name for alias, name in pairs):
        raise ValueError("write each alias as name:voice or name:model, such as alloy:amber,tts-1:f5")
    if len(dict(pairs)) < len(pairs):
        raise ValueError("an alias is defined twice; keep one definition")
    return dict(pairs)


def _host(value: str) -> str:
    """Return `::1` for `[::1]`, the form in URLs."""
    return value.strip().removeprefix("[").removesuffix("]")


def _resolved(value: Path | None) -> Path | None:
    try:
        return value and value.expanduser().resolve()
    except RuntimeError as error:  # a loop of links, or `~name` of a user who does not exist
        raise ValueError(f"the path cannot be resolved ({error}); correct it") from error


def _sites(value: tuple[str, ...]) -> tuple[str, ...]:
    if not all(SITE.fullmatch(site) for site in value):
        raise ValueError("write each site as https://name")
    return value


def _origins(value: tuple[str, ...]) -> tuple[str, ...]:
    if not all(ORIGIN.fullmatch(origin) for origin in value):
        raise ValueError("write each site as https://name, without a path or wildcard")
    return value


def _root_path(value: str) -> str:
    path = value.rstrip("/")
    if path and not is_root_path(path):
        raise ValueError("write it as /name, with letters, digits and -._~ only")
    return path


def _device(value: str) -> str:
    if DEVICE.fullmatch(value) is None:
        raise ValueError("use auto, cpu, mps, cuda or cuda:N")
    return value


def _languages(value: str) -> str:
    if not all(map(is_tag, value.replace(",", " ").split())):
        raise ValueError("write language tags (BCP 47), such as en, de, pt-BR")
    return ", ".join(read_tag(tag) for tag in value.replace(",", " ").split())


def _login(value: SecretStr) -> SecretStr:
    user, colon, password = value.get_secret_value().partition(":")
    if value.get_secret_value() and not (user and colon and password):
        raise ValueError("write it as user:password")
    return value


def _keys(value: SecretStr) -> SecretStr:
    read_keys(value)
    return value


Listed = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)]
Stores = Annotated[tuple[Place, ...], NoDecode, BeforeValidator(_stores)]
Networks = Annotated[tuple[Network, ...], NoDecode, BeforeValidator(_networks)]
Aliases = Annotated[Mapping[str, str], NoDecode, BeforeValidator(_aliases)]
Host = Annotated[str, AfterValidator(_host)]
ResolvedPath = Annotated[Path, AfterValidator(_resolved)]
OptionalPath = Annotated[Path | None, AfterValidator(_resolved)]
Sites = Annotated[Listed, AfterValidator(_sites)]
Origins = Annotated[Listed, AfterValidator(_origins)]
RootPath = Annotated[str, AfterValidator(_root_path)]
LanguageTags = Annotated[str, AfterValidator(_languages)]
DeviceName = Annotated[str, AfterValidator(_device)]
Login = Annotated[SecretStr, AfterValidator(_login)]
Keys = Annotated[SecretStr, AfterValidator(_keys)]
