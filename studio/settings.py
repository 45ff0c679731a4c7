"""Typed settings from the environment and `.env`. Unknown STUDIO_* keys are refused, so that a typo is noticed."""

import difflib
import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from dotenv import dotenv_values
from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from studio.places import Place, parse_stores

PREFIX = "STUDIO_"
ENV_FILE = ".env"
DEVICE = re.compile(r"auto|cpu|mps|cuda(:\d+)?")
SITE = re.compile(r"https://[\w.*-]+(:\d+)?")
ORIGIN = re.compile(r"[a-z][a-z\d+.-]*://([\w.-]+|\[[\da-f:]+\])(:\d+)?")  # apps with a web view have other schemes
ROOT_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)+")
KEY_MIN = 16  # characters
Network = IPv4Network | IPv6Network
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
NOT_YET = {
    "BATCH_WINDOW_MS": "remove this setting; requests join the running batch at once",
}


def read_keys(keys: SecretStr) -> dict[str, str]:
    """Return the names of API keys, by key. Raises ValueError, whose message shows no key."""
    listed = [part.strip().partition(":") for part in keys.get_secret_value().split(",") if part.strip()]
    if not all(name and len(key) >= KEY_MIN for name, _, key in listed):
        raise ValueError(f"write each key as name:key, with at least {KEY_MIN} characters that nobody can guess")
    names = {key: name for name, _, key in listed}
    if not len({*names.values()}) == len(names) == len(listed):
        raise ValueError("two keys or their names are equal; use different keys and names")
    return names


def is_root_path(path: str) -> bool:
    """Return True if the path can be the prefix of all addresses of the studio."""
    return ROOT_PATH.fullmatch(path) is not None and not {".", ".."} & {*path.split("/")}


def _network(written: object) -> Network:
    """Read an address or a network. Raises ValueError."""
    try:
        network = ip_network(str(written))
    except ValueError:
        raise ValueError("write each proxy as an address or a network, such as 127.0.0.1 or 10.0.0.0/8") from None
    if network.prefixlen == 0:
        raise ValueError(
            "write the addresses of the proxies; a network of all addresses lets every client forge its address"
        )
    return network


class WrongSettings(Exception):
    """A setting is unknown or has an invalid value; the message names the setting and shows no secret."""


@dataclass(frozen=True, slots=True)
class VisitorLimits:
    """Limits for the takes and clips of visitors of a public studio; 0 is no limit."""

    days: float = 30
    each_mb: int = 500
    all_gb: float = 20


class Settings(BaseSettings):
    """One field for each STUDIO_* variable. 0 and `auto` let the studio choose."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=ENV_FILE,
        env_file_encoding="utf-8",
        env_ignore_empty=True,
        extra="ignore",  # .env may contain keys of other programs; `_known_keys` checks the studio's
        frozen=True,
        hide_input_in_errors=True,
        use_attribute_docstrings=True,  # docs/configuration.md is generated from them
    )

    host: str = "127.0.0.1"
    """Address on which the studio listens; `0.0.0.0` or `::` means all addresses of the machine."""
    port: Annotated[int, Field(ge=0, le=65_535)] = 7860
    """Port on which the studio listens; 0 chooses a free port, which the log names."""
    socket: Path | None = None
    """Path of a Unix socket. The studio listens there instead of on host and port, for programs of this user only."""
    page: bool = True
    """`off` serves only programs: no page, no Gradio endpoints, no MCP tools. The studio is ready some seconds earlier."""
    data_dir: Path = Path("data")
    """Folder for takes, clips, champions, scripts, the database and caches. One studio at a time may use the folder."""
    archives_dir: Path | None = None
    """Folder of champion archives. At each start the studio imports every archive whose id is not in the library."""
    engines: Annotated[tuple[str, ...], NoDecode, Field(min_length=1)] = ("f5", "s1")
    """Engines that this studio runs. The first one speaks where a request names none."""
    f5_checkpoint: Annotated[str, Field(min_length=1)] = "embedded"
    """Checkpoint of F5-TTS: `embedded`, `hf://owner/repo`, or the path of a weights file."""
    f5_vocoder: str = ""
    """Vocoder of F5-TTS: a folder or `hf://owner/repo`. Empty uses the vocoder that belongs to the checkpoint."""
    s1_checkpoint: Annotated[str, Field(min_length=1)] = "embedded"
    """Checkpoint of S1-Mini: `embedded`, `hf://owner/repo`, or the path of a folder."""
    s1_encoder: Literal["auto", "cpu"] = "auto"
    """Where S1-Mini encodes references: on its device, or on the CPU, which saves memory of the GPU."""
    ears: bool = True
    """`off` hears nothing: no transcripts of clips, no checks of takes, no word times. No process is started for them."""
    recognizer: Annotated[str, Field(min_length=1)] = "embedded"
    """Speech recogniser: `embedded`, or a Whisper model for CTranslate2, as `hf://owner/repo@revision` or a folder."""
    device: str = "auto"
    """Device of the engines: `auto`, `cpu`, `mps`, `cuda` or `cuda:N`. `auto` prefers CUDA, then MPS, then the CPU."""
    compile: Literal["auto", "on", "off"] = "auto"
    """`off` uses no compiled kernels and no CUDA graphs. The engines are warm sooner, and speak more slowly."""
    quantize: Literal["none", "int8", "int4"] = "none"
    """How S1-Mini stores its weights; int8 and int4 save memory. int4 needs a GPU and layers that are wide enough."""
    cpu_precision: Literal["auto", "float32"] = "auto"
    """`auto` runs F5-TTS in bfloat16 on a CPU that is faster in bfloat16; `float32` gives equal audio on all CPUs."""
    max_batch: Annotated[int, Field(ge=0)] = 0
    """Most rows that an engine speaks in one step. 0 means 2 on a CPU; on a GPU 8 (F5-TTS) and at most 32 (S1-Mini)."""
    queue_size: Annotated[int, Field(ge=1)] = 16
    """Most requests that wait, counted separately for the page and for the scheduler. Further requests are refused."""
    gpu_concurrency: Annotated[int, Field(ge=0)] = 0
    """Most requests of the page that speak at a time. 0 means 1 on a CPU and the rows of a batch on a GPU."""
    request_timeout_s: Annotated[float, Field(gt=0)] = 300
    """Time limit of a request, waiting included."""
    login: SecretStr = SecretStr("")
    """The owner's login as `user:password`. If set, everybody else, also on this machine, can only speak and compare."""
    api_keys: SecretStr = SecretStr("")
    """Keys of programs as `name:key,name:key`, each key at least 16 characters long. If set, programs must send a key."""
    api_requests_per_minute: Annotated[int, Field(ge=0)] = 0
    """Most requests of each key, or of each address if no keys are set. 0 is no limit."""
    api_characters_per_minute: Annotated[int, Field(ge=0)] = 0
    """Most characters of text of each key, or of each address if no keys are set. 0 is no limit."""
    api_streams: Annotated[int, Field(ge=0)] = 0
    """Most answers at a time of each key, or of each address if no keys are set. 0 is no limit."""
    cors_origins: Annotated[tuple[str, ...], NoDecode] = ()
    """Origins of other sites, such as `https://game.example`, whose pages may use the API."""
    aliases: Annotated[Mapping[str, str], NoDecode] = {}
    """Further names of voices and models as `alias:name`, for clients with fixed names, such as `alloy:amber,tts-1:f5`."""
    frame_ancestors: Annotated[tuple[str, ...], NoDecode] = ()
    """Sites, such as `https://portal.example`, that may show the studio in a frame. HTTPS only."""
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = ()
    """Host names that requests may use besides `localhost`. If empty, only a studio on loopback refuses other names."""
    root_path: str = ""
    """Prefix that a proxy strips from each path, such as `/voices`. `X-Forwarded-Prefix` takes precedence."""
    trusted_proxies: Annotated[tuple[Network, ...], NoDecode] = ()
    """Addresses and networks of proxies whose `X-Forwarded-*` headers the studio uses, such as `127.0.0.1,10.0.0.0/8`."""
    max_upload_mb: Annotated[int, Field(ge=1)] = 64
    """Largest clip, sheet or other file that may be uploaded."""
    memory_budget_gb: Annotated[float, Field(ge=0)] = 0
    """Before an engine loads, idle engines are unloaded until all engines use less than this. 0 is no limit."""
    stores: Annotated[tuple[Place, ...], NoDecode] = ()
    """Stores of archives as `name=folder:/path`, `name=s3://bucket/prefix` or `name=hf://owner/repo`."""
    weights_budget_gb: Annotated[float, Field(ge=0)] = 0
    """Memory of the device for fine-tuned weights that are not active. 0 is a quarter of the free memory."""
    stage_directions: bool = True
    """`off` speaks stage directions such as [shouting], (laughs) and (long pause) as words."""
    # Limits for visitors, who are not the owner. If unset, the defaults of VisitorLimits apply to a public studio only.
    visitor_days: Annotated[float | None, Field(ge=0)] = None
    """Age at which takes and clips of visitors are removed. 0 is never; unset is 30 on a public studio, else never."""
    visitor_mb: Annotated[int | None, Field(ge=0)] = None
    """Size of the takes and clips that each visitor may keep. 0 is no limit; unset is 500 on a public studio, else no limit."""
    visitors_gb: Annotated[float | None, Field(ge=0)] = None
    """Size of the takes and clips of all visitors; the oldest are removed. 0 is no limit; unset is 20 on a public studio."""
    max_weights_mb: Annotated[int, Field(ge=1)] = 6_500
    """Largest archive or weights file that the owner may upload."""
    threads: Annotated[int, Field(ge=0)] = 0
    """CPU threads of the engines. 0 leaves the number to PyTorch."""

    @field_validator("engines", "allowed_hosts", "cors_origins", "frame_ancestors", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        """Split a comma-separated value such as `f5,s1`."""
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("stores", mode="before")
    @classmethod
    def _parsed(cls, value: object) -> object:
        """Parse the stores. Raises WrongStores, a ValueError, whose message shows no credential."""
        listed = cls._listed(value)
        return parse_stores(listed) if isinstance(listed, tuple) else listed

    @field_validator("host")
    @classmethod
    def _bare_host(cls, value: str) -> str:
        """Return `::1` for `[::1]`, the form in URLs."""
        return value.strip().removeprefix("[").removesuffix("]")

    @field_validator("aliases", mode="before")
    @classmethod
    def _named_aliases(cls, value: object) -> object:
        """Read `alloy:amber,tts-1:f5` as a mapping of aliases to names."""
        listed = cls._listed(value)
        if not isinstance(listed, tuple):
            return listed
        parts = [str(pair).partition(":") for pair in listed]
        pairs = [(alias.strip(), name.strip()) for alias, _, name in parts]
        if not all(alias and name and alias != name for alias, name in pairs):
            raise ValueError("write each alias as name:voice or name:model, such as alloy:amber,tts-1:f5")
        if len(dict(pairs)) < len(pairs):
            raise ValueError("an alias is defined twice; keep one definition")
        return dict(pairs)

    @field_validator("data_dir", "archives_dir", "socket")
    @classmethod
    def _home(cls, value: Path | None) -> Path | None:
        try:
            return value and value.expanduser().resolve()
        except RuntimeError as error:  # a loop of links, or `~name` of a user who does not exist
            raise ValueError(f"the path cannot be resolved ({error}); correct it") from error

    @field_validator("frame_ancestors")
    @classmethod
    def _sites(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not all(SITE.fullmatch(site) for site in value):
            raise ValueError("write each site as https://name")
        return value

    @field_validator("cors_origins")
    @classmethod
    def _origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not all(ORIGIN.fullmatch(origin) for origin in value):
            raise ValueError("write each site as https://name, without a path or wildcard")
        return value

    @field_validator("root_path")
    @classmethod
    def _path(cls, value: str) -> str:
        path = value.rstrip("/")
        if path and not is_root_path(path):
            raise ValueError("write it as /name, with letters, digits and -._~ only")
        return path

    @field_validator("trusted_proxies", mode="before")
    @classmethod
    def _networks(cls, value: object) -> object:
        listed = cls._listed(value)
        return tuple(map(_network, listed)) if isinstance(listed, tuple) else listed

    @field_validator("device")
    @classmethod
    def _known_device(cls, value: str) -> str:
        if DEVICE.fullmatch(value) is None:
            raise ValueError("use auto, cpu, mps, cuda or cuda:N")
        return value

    @field_validator("login")
    @classmethod
    def _user_and_password(cls, value: SecretStr) -> SecretStr:
        user, colon, password = value.get_secret_value().partition(":")
        if value.get_secret_value() and not (user and colon and password):
            raise ValueError("write it as user:password")
        return value

    @field_validator("api_keys")
    @classmethod
    def _named_keys(cls, value: SecretStr) -> SecretStr:
        read_keys(value)
        return value

    @property
    def on_loopback(self) -> bool:
        """Return True if only this machine can reach the studio."""
        return self.socket is not None or self.host in LOOPBACK

    @property
    def is_public(self) -> bool:
        """Return True if a setting opens the studio to others than the owner."""
        return bool(self.login.get_secret_value() or self.allowed_hosts or self.frame_ancestors)

    @property
    def visitor_limits(self) -> VisitorLimits:
        """Return the limits for visitors: the settings, else the defaults of a public studio, else no limits."""
        usual = VisitorLimits() if self.is_public else VisitorLimits(days=0, each_mb=0, all_gb=0)
        return VisitorLimits(
            days=usual.days if self.visitor_days is None else self.visitor_days,
            each_mb=usual.each_mb if self.visitor_mb is None else self.visitor_mb,
            all_gb=usual.all_gb if self.visitors_gb is None else self.visitors_gb,
        )

    def answers_to(self, host: str) -> bool:
        """Return True if a request may use this host name, given in lower case and without a port.

        A foreign site can resolve its own name to 127.0.0.1 and then has the studio's origin. Therefore a studio on loopback
        accepts only its own names and the allowed ones. Other studios accept every name, unless allowed names are set.
        """
        allowed = {name.lower() for name in self.allowed_hosts}
        return host in LOOPBACK or host in allowed or not (self.on_loopback or allowed)

    @property
    def max_upload_bytes(self) -> int:
        return self.max_upload_mb * 1_000_000

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, values: Any) -> Any:
        """Refuse unknown STUDIO_* keys, which pydantic-settings ignores."""
        known = [name.upper() for name in cls.model_fields]
        ours = [key for key in {*os.environ, *dotenv_values(ENV_FILE)} if key.upper().startswith(PREFIX)]
        wrong = sorted(key for key in ours if key.upper().removeprefix(PREFIX) not in known)
        if wrong:
            raise ValueError(". ".join(_wrong(key, known) for key in wrong))
        return values

    @classmethod
    def load(cls) -> Self:
        """Read the environment, then `.env`. Raises WrongSettings with one sentence for each invalid key."""
        try:
            return cls()
        except ValidationError as error:
            raise WrongSettings(_sentence(error)) from None  # the cause may contain a secret


def _wrong(key: str, known: Collection[str]) -> str:
    name = key.upper().removeprefix(PREFIX)
    if name in NOT_YET:
        return f"{key} is not available yet: {NOT_YET[name]}"
    near = difflib.get_close_matches(name, known, n=1)
    hint = (
        f"did you mean {PREFIX}{near[0]}? Correct it or remove it"
        if near
        else "remove it; studio/settings.py lists them"
    )
    return f"{key} is not a setting; {hint}"


def _sentence(error: ValidationError) -> str:
    sentences = []
    for one in error.errors(include_input=False, include_context=False):
        name = f"{PREFIX}{str(one['loc'][0]).upper()}: " if one["loc"] else ""
        sentences.append(name + one["msg"].removeprefix("Value error, "))
    return ". ".join(sentences)
