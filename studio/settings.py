"""Typed settings from the environment and `.env`. Unknown STUDIO_* keys are refused, so that a typo is noticed."""

import difflib
import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from dotenv import dotenv_values
from pydantic import Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from engines.registry import embedded
from studio.setting_values import (
    Aliases,
    DeviceName,
    Host,
    Keys,
    LanguageTags,
    Listed,
    Login,
    Networks,
    OptionalPath,
    Origins,
    ResolvedPath,
    RootPath,
    Sites,
    Stores,
)

PREFIX = "STUDIO_"
ENV_FILE = ".env"
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


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

    host: Host = "127.0.0.1"
    """Address on which the studio listens; `0.0.0.0` or `::` means all addresses of the machine."""
    port: Annotated[int, Field(ge=0, le=65_535)] = 7860
    """Port on which the studio listens; 0 chooses a free port, which the log names."""
    socket: OptionalPath = None
    """Path of a Unix socket. The studio listens there instead of on host and port, for programs of this user only."""
    page: bool = True
    """`off` serves only programs: no page, no Gradio endpoints, no MCP tools. The studio is ready some seconds earlier."""
    data_dir: ResolvedPath = Path("data")
    """Folder for takes, clips, champions, scripts, the database and caches. One studio at a time may use the folder."""
    archives_dir: OptionalPath = None
    """Folder of champion archives. At each start the studio imports every archive whose id is not in the library."""
    engines: Annotated[Listed, Field(min_length=1)] = embedded()
    """Engines that this studio runs; by default those with embedded weights. If a request names neither an engine nor a
    champion, the first engine in the list speaks."""
    f5_checkpoint: Annotated[str, Field(min_length=1)] = "embedded"
    """Checkpoint of F5-TTS: `embedded`, `hf://owner/repo`, or the path of a weights file or of a folder that contains one."""
    f5_vocoder: str = ""
    """Vocoder of F5-TTS: a folder or `hf://owner/repo`. Empty uses the vocoder that belongs to the checkpoint."""
    f5_languages: LanguageTags = ""
    """Languages of the checkpoint of F5-TTS: BCP 47 tags, such as `en, de, pt-BR`. Empty: the published ones, or English."""
    s1_checkpoint: Annotated[str, Field(min_length=1)] = "embedded"
    """Checkpoint of S1-Mini: `embedded`, `hf://owner/repo`, or the path of a folder."""
    s1_languages: LanguageTags = ""
    """Languages of the checkpoint of S1-Mini: BCP 47 tags, such as `en, de, pt-BR`. Empty: the published ones, or English."""
    s1_encoder: Literal["auto", "cpu"] = "auto"
    """Where S1-Mini encodes references: on its device, or on the CPU, which saves memory of the GPU."""
    orpheus_checkpoint: str = ""
    """Checkpoint of Orpheus: `hf://owner/repo`, such as `hf://canopylabs/orpheus-3b-0.1-ft`, or the path of a folder. Add
    `orpheus` to `STUDIO_ENGINES`, too."""
    orpheus_codec: Annotated[str, Field(min_length=1)] = "hf://hubertsiuzdak/snac_24khz"
    """Codec of Orpheus: `hf://owner/repo`, or the path of a folder."""
    orpheus_languages: LanguageTags = ""
    """Languages of the checkpoint of Orpheus: BCP 47 tags, such as `en, de, pt-BR`. Empty: the published ones, or English."""
    orpheus_encoder: Literal["auto", "cpu"] = "auto"
    """Where Orpheus encodes references: on its device, or on the CPU, which saves memory of the GPU."""
    spark_checkpoint: str = ""
    """Checkpoint of Spark-TTS: `hf://SparkAudio/Spark-TTS-0.5B`, or the path of a folder. Add `spark` to `STUDIO_ENGINES`,
    too."""
    spark_languages: LanguageTags = ""
    """Languages of the checkpoint of Spark-TTS: BCP 47 tags, such as `en, de, pt-BR`. Empty: the published ones, or English."""
    spark_encoder: Literal["auto", "cpu"] = "auto"
    """Where Spark-TTS encodes references: on its device, or on the CPU, which saves memory of the GPU."""
    ears: bool = True
    """`off` disables speech recognition: no transcripts, no word times, and no checks of takes, not even of likeness and
    quality. Only length limits are checked."""
    recognizer: Annotated[str, Field(min_length=1)] = "embedded"
    """Speech recognition model: `embedded`, or a Whisper model for CTranslate2, as `hf://owner/repo@revision` or a folder."""
    device: DeviceName = "auto"
    """Device of the engines: `auto`, `cpu`, `mps`, `cuda` or `cuda:N`. `auto` prefers CUDA, then MPS, then the CPU."""
    compile: Literal["auto", "on", "off"] = "auto"
    """`off` uses no compiled kernels and no CUDA graphs: a first start is faster, but the engines speak more slowly."""
    quantize: Literal["none", "int8", "int4"] = "none"
    """Format of the weights of the engines other than F5-TTS. `int8` and `int4` save memory. `int4` needs an NVIDIA GPU of
    compute capability 8.0 or later and a full checkpoint."""
    cpu_precision: Literal["auto", "float32"] = "auto"
    """`auto` runs F5-TTS in bfloat16 on a CPU that is faster in bfloat16; `float32` gives equal audio on all CPUs."""
    max_batch: Annotated[int, Field(ge=0)] = 0
    """Maximum number of rows that an engine speaks in one step. 0 chooses: 2 on a CPU; on a GPU 8 for F5-TTS, and for the
    other engines as many as fit in a tenth of the memory, up to 32."""
    queue_size: Annotated[int, Field(ge=1)] = 16
    """Maximum number of waiting requests; further requests are refused. The page's queue and the scheduler's queue each have
    this limit."""
    gpu_concurrency: Annotated[int, Field(ge=0)] = 0
    """Maximum number of requests of the page that speak at a time. 0 chooses 1 on a CPU, and on a GPU the maximum number of
    rows."""
    request_timeout_s: Annotated[float, Field(gt=0)] = 300
    """Time limit of a request, waiting included."""
    step_timeout_s: Annotated[float, Field(ge=0)] = 120
    """Time limit of one step of an engine. After this time, the studio loads the engines again; on a GPU, the process ends.
    Loading and warm-up may take ten times this limit. Raise the limit if a slow CPU needs longer. 0: no limit."""
    login: Login = SecretStr("")
    """The owner's login as `user:password`. If set, everybody else, also on this machine, can only speak and compare."""
    api_keys: Keys = SecretStr("")
    """Keys of programs as `name:key,name:key`, each key at least 16 characters long. If set, programs must send a key."""
    api_requests_per_minute: Annotated[int, Field(ge=0)] = 0
    """Maximum number of requests a minute for each key, or for each address if no keys are set. 0: no limit."""
    api_characters_per_minute: Annotated[int, Field(ge=0)] = 0
    """Maximum number of characters of text a minute for each key, or for each address if no keys are set. 0: no limit."""
    api_streams: Annotated[int, Field(ge=0)] = 0
    """Maximum number of answers at a time for each key, or for each address if no keys are set. 0: no limit."""
    cors_origins: Origins = ()
    """Origins of other sites, such as `https://game.example`, whose pages may use the API."""
    aliases: Aliases = {}
    """Further names of voices and models as `alias:name`, for clients with fixed names, such as `alloy:amber,tts-1:f5`."""
    frame_ancestors: Sites = ()
    """Sites, such as `https://portal.example`, that may show the studio in a frame. HTTPS only."""
    allowed_hosts: Listed = ()
    """Host names that requests may use besides `localhost`. If empty: a studio on 127.0.0.1 accepts only `localhost` and
    127.0.0.1; a studio on another address accepts all names."""
    root_path: RootPath = ""
    """Prefix that a proxy strips from each path, such as `/voices`. `X-Forwarded-Prefix` takes precedence."""
    trusted_proxies: Networks = ()
    """Addresses and networks of proxies whose `X-Forwarded-*` headers the studio uses, such as `127.0.0.1,10.0.0.0/8`."""
    max_upload_mb: Annotated[int, Field(ge=1)] = 64
    """Largest clip, sheet or other file that may be uploaded."""
    memory_budget_gb: Annotated[float, Field(ge=0)] = 0
    """Memory limit of all engines together. Before an engine loads, the studio unloads idle engines. 0: no limit."""
    stores: Stores = ()
    """Stores of archives as `name=folder:/path`, `name=s3://bucket/prefix` or `name=hf://owner/repo`."""
    weights_budget_gb: Annotated[float, Field(ge=0)] = 0
    """Device memory for fine-tuned weights of champions that do not speak at the moment. 0: a quarter of the free memory."""
    stage_directions: bool = True
    """`off` speaks stage directions such as [shouting], (laughs) and (long pause) as words."""
    visitors: Literal["speak", "listen"] = "speak"
    """Permissions of visitors: `speak` lets them speak and compare; `listen` lets them only open links to listening sessions.
    With `listen`, programs need a key of `STUDIO_API_KEYS`; if no keys are set, programs need the owner's login."""
    # Limits for visitors, who are not the owner. If unset, the defaults of VisitorLimits apply to a public studio only.
    visitor_days: Annotated[float | None, Field(ge=0)] = None
    """Age at which takes and clips of visitors are removed. Default: 30 on a public studio, otherwise no limit. 0: no limit."""
    visitor_mb: Annotated[int | None, Field(ge=0)] = None
    """Maximum total size of the takes and clips of each visitor. Default: 500 on a public studio, otherwise no limit.
    0: no limit."""
    visitors_gb: Annotated[float | None, Field(ge=0)] = None
    """Maximum total size of the takes and clips of all visitors; the oldest are removed. Default: 20 on a public studio,
    otherwise no limit. 0: no limit."""
    max_weights_mb: Annotated[int, Field(ge=1)] = 6_500
    """Largest archive or weights file that the owner may upload."""
    log_format: Literal["text", "json"] = "text"
    """Format of the log on standard error: `text`, or `json` with one object per line."""
    cloudwatch_metrics: bool = False
    """`on` writes metrics of requests, loading and the GPU to standard output, in the embedded metric format of Amazon
    CloudWatch."""
    threads: Annotated[int, Field(ge=0)] = 0
    """CPU threads of PyTorch. 0: at most 4 if the engines use a GPU, and as many as PyTorch chooses if not."""

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
