"""Settings: `settings.toml` in the home folder, every key overridden by the environment.

`ASTRORESEARCH_<SECTION>__<KEY>` wins over the file (`ASTRORESEARCH_OFFLINE` for keys
without a section). Secrets come from the environment alone here, else from the
system keyring (`app.services.secrets`); one found in the file is refused.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
import tomllib
from collections.abc import Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import Any, Literal

from platformdirs import user_data_path
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)
from pydantic_settings.exceptions import SettingsError as SourceError

from app.errors import HomeError, SettingsError

FILE_NAME = "settings.toml"
ENV_PREFIX = "ASTRORESEARCH_"

SECRETS: dict[str, tuple[str, str]] = {
    "ads_token": ("sources", "ads_token"),
    "mineru_token": ("sources", "mineru_token"),
    "api_key": ("llm", "api_key"),
    "embedding_key": ("embedding", "api_key"),
}
"""Name of each secret, with the section and key it has in the environment."""


def default_home() -> Path:
    """Return the library folder: `ASTRORESEARCH_HOME`, else the platform's place for data."""
    if chosen := os.environ.get(f"{ENV_PREFIX}HOME"):
        return expanded(chosen)
    return user_data_path("AstroResearch", appauthor=False)


def expanded(path: str | Path) -> Path:
    """Return the path with `~` put in place; where that names nobody it is a part of the name."""
    return Path(os.path.expanduser(path))  # noqa: PTH111  Path.expanduser raises


class _Section(BaseModel):
    """Unknown keys are kept in the file and left alone: a newer version may know them."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)


class Sources(_Section):
    """Where the literature is asked for; every address can point at a mirror or a test server."""

    ads_url: str = "https://api.adsabs.harvard.edu/v1"
    ads_token: SecretStr | None = None
    arxiv_url: str = "https://export.arxiv.org/api/query"
    arxiv_site_url: str = "https://arxiv.org"
    ar5iv_url: str = "https://ar5iv.labs.arxiv.org"
    sesame_url: str = "https://cds.unistra.fr/cgi-bin/nph-sesame"
    simbad_url: str = "https://simbad.cds.unistra.fr/simbad/sim-tap/sync"
    crossref_url: str = "https://api.crossref.org"
    unpaywall_url: str = "https://api.unpaywall.org/v2"
    unpaywall_email: str = ""
    doi_url: str = "https://doi.org"
    openalex_url: str = "https://api.openalex.org"
    mineru_url: str = "https://mineru.net/api/v4"
    mineru_token: SecretStr | None = None
    cdp_url: str = ""
    arxiv_interval_s: float = Field(3.0, ge=0)
    user_agent: str = "AstroResearch/0.1 (desktop research assistant)"

    @field_validator("*")
    @classmethod
    def _address(cls, value: object, info: Any) -> object:
        if info.field_name.endswith("_url") and isinstance(value, str) and value:
            if not re.match(r"(?:https?|wss?)://[^\s/]+", value):
                raise ValueError("should be a web address such as https://example.org")
            return value.rstrip("/")
        return value


class Price(_Section):
    """What a model costs: for a million tokens read, read from the service's cache, and written."""

    input: float = Field(0.0, ge=0)
    cached: float | None = Field(None, ge=0)
    output: float = Field(0.0, ge=0)
    currency: str = "USD"


class Llm(_Section):
    """The chat model: local by default, a remote one by choice.

    `service` names the kind of an OpenAI-compatible service (`app.llm.remote.profiles`); empty: told by the
    address. `proxy` is an address, "none", or empty: as the environment says. `ca_file` holds certificates
    that are trusted besides the system's. Time-outs are seconds, 0 waits for ever. `prices` go by the name
    of the model, which may end in `*`. `model_hosts` are where models are downloaded from: names of the
    catalogue, addresses of mirrors, or addresses with {repo} and {file} in them; empty: all of the catalogue.
    `tools` says which local models call tools: "auto" are those that are not tiny. `keep_state` keeps what a
    local model has read of a conversation in `<home>/model-state`, so that it starts at once next time.
    """

    provider: Literal["local", "openai", "anthropic"] = "local"
    base_url: str = ""
    api_key: SecretStr | None = None
    model: str = ""
    context_tokens: int = Field(8192, ge=512)
    model_path: Path | None = None
    thinking: bool = False
    service: str = ""
    proxy: str = ""
    ca_file: Path | None = None
    connect_timeout_s: float = Field(15.0, ge=0)
    first_token_timeout_s: float = Field(300.0, ge=0)
    between_tokens_timeout_s: float = Field(90.0, ge=0)
    total_timeout_s: float = Field(0.0, ge=0)
    prices: dict[str, Price] = {}
    model_hosts: tuple[str, ...] = ()
    tools: Literal["auto", "always", "never"] = "auto"
    keep_state: bool = False

    @field_validator("model_hosts")
    @classmethod
    def _hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for entry in value:
            if not re.fullmatch(r"[a-z0-9-]+|https?://[^\s/]+\S*", entry):
                raise ValueError("should hold names of hosts or web addresses such as https://example.org")
        return value

    @field_validator("model_path", "ca_file", mode="before")
    @classmethod
    def _path(cls, value: object) -> object:
        return (expanded(value) if value else None) if isinstance(value, str) else value


class Embedding(_Section):
    """The model that turns passages into vectors; a change of it indexes the library anew in the background.

    `model` is the path of a GGUF file ("local"; empty: the built-in model) or a name that the service knows
    ("openai"). `base_url` is where it is asked; empty: the service of the chat model, or else OpenAI.
    `api_key` is for a service other than that of the chat model.
    """

    provider: Literal["local", "openai"] = "local"
    model: str = ""
    base_url: str = ""
    api_key: SecretStr | None = None


class Permission(_Section):
    """A rule of the agent: what happens when a tool is called with arguments that match."""

    action: Literal["allow", "ask", "deny"]
    tool: str
    match: str = ""

    @field_validator("action", mode="before")
    @classmethod
    def _lower(cls, value: object) -> object:
        return value.lower() if isinstance(value, str) else value


class Hook(_Section):
    """A program or a Python function that looks at tool calls before or after they run.

    `command` is an argument list (JSON on stdin, JSON on stdout); `entry` is "module:function".
    A guarding hook that fails or is slow denies the call.
    """

    event: Literal["PreToolUse", "PostToolUse"]
    tool: str = "*"
    command: tuple[str, ...] = ()
    entry: str = ""
    timeout_s: float = Field(10.0, gt=0)


class McpServer(_Section):
    """An outside MCP server whose tools are offered as `mcp_<name>_<tool>` behind our permissions."""

    name: str = Field(pattern=r"^[a-z0-9_]{1,24}$")
    command: tuple[str, ...] = Field(min_length=1)
    env: dict[str, str] = {}
    timeout_s: float = Field(60.0, gt=0)


class Agent(_Section):
    """Limits of the agent, and what it may do without asking."""

    tool_timeout_s: float = Field(120.0, gt=0)
    max_output_chars: int = Field(4000, ge=200)
    duplicate_threshold: int = Field(3, ge=1)
    ask_user_timeout_s: float = Field(300.0, gt=0)
    soft_limit: float = Field(0.8, gt=0, le=1)
    max_steps: int = Field(30, ge=1)
    permissions: tuple[Permission, ...] = ()
    hooks: tuple[Hook, ...] = ()
    mcp_servers: tuple[McpServer, ...] = ()


class Ui(_Section):
    """How the window looks and speaks."""

    theme: Literal["system", "light", "dark"] = "system"
    language: Literal["system", "en", "zh"] = "system"


class Settings(BaseSettings):
    """All settings, checked and frozen; `Settings()` is them as delivered, `load` reads a home folder."""

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        env_nested_delimiter="__",
        env_ignore_empty=True,
        frozen=True,
        extra="ignore",
        hide_input_in_errors=True,
    )

    offline: bool = False
    sources: Sources = Sources()
    llm: Llm = Llm()
    embedding: Embedding = Embedding()
    agent: Agent = Agent()
    ui: Ui = Ui()

    @classmethod
    def load(cls, home: Path, **overrides: Any) -> Settings:
        """Read the settings of a home folder; `overrides`, nested like the file, win over all.

        Raises SettingsError when the file or an environment variable cannot be understood.
        """
        path = home / FILE_NAME
        from_file = _read(path)
        try:
            from_env = EnvSettingsSource(cls)()
            return cls(**_merged(from_file, from_env, overrides))
        except SourceError as error:
            raise SettingsError(
                f"An environment variable cannot be read: {error}.",
                hint=f"Correct or unset the variable that begins with {ENV_PREFIX}.",
            ) from error
        except ValidationError as error:
            raise _explained(error, path, overrides) from error

    @classmethod
    def defaults(cls) -> Settings:
        """Return the settings as delivered, to start with when `load` cannot."""
        return cls()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Take values from `load` alone, which puts file, environment and overrides in order."""
        return (init_settings,)

    def secret(self, name: str) -> SecretStr | None:
        """Return a secret that the environment sets, by its name in `SECRETS`, or None."""
        section, key = SECRETS[name]
        value: SecretStr | None = getattr(getattr(self, section), key)
        return value


def save(home: Path, changes: Mapping[str, Any]) -> None:
    """Write changes, nested like the file, into `settings.toml`; None takes a key out.

    Comments and keys that this version does not know stay. The file is replaced in one
    step. A file that cannot be read is first set aside as `settings.toml.broken`.
    """
    import tomlkit  # only who saves needs it

    path = home / FILE_NAME
    if secret := _secret_in(changes):
        raise _secret_refused(secret, path)
    try:
        _read(path)
        document = tomlkit.parse(path.read_text("utf-8-sig")) if path.exists() else tomlkit.document()
    except SettingsError:
        path.replace(path.with_name(f"{FILE_NAME}.broken"))
        document = tomlkit.document()
    _apply(document, changes)
    _write(path, tomlkit.dumps(document))


def _read(path: Path) -> dict[str, Any]:
    try:
        values = tomllib.loads(_text_of(path))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(
            f"{path.name} is not valid TOML: {error}.",
            hint=f"Correct that line in {path}, or move the file away to start with the defaults.",
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"{path.name} cannot be read: {getattr(error, 'strerror', None) or error}.",
            hint=f"Make {path} a readable text file in UTF-8, or move it away to start with the defaults.",
        ) from error
    if secret := _secret_in(values):
        raise _secret_refused(secret, path)
    return values


def _text_of(path: Path) -> str:
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "it is not a plain file")  # a pipe would be waited for
    return path.read_text("utf-8-sig")


def _merged(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """Lay nested values over one another; the last wins, key by key."""
    result: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.items():
            below = result.get(key)
            both = isinstance(below, Mapping) and isinstance(value, Mapping)
            result[key] = _merged(below, value) if both else value  # type: ignore[arg-type]
    return result


def _secret_in(values: Mapping[str, Any]) -> str | None:
    """Return the dotted name of a secret among the values, if there is one."""
    for section, key in SECRETS.values():
        inner = values.get(section)
        if key in values or (isinstance(inner, Mapping) and inner.get(key) is not None):
            return f"{section}.{key}"
    return None


def _secret_refused(name: str, path: Path) -> SettingsError:
    section, _, key = name.partition(".")
    return SettingsError(
        f"{path.name} must not hold the secret {name}: files are copied and shared.",
        hint=f"Take it out of {path} and set {ENV_PREFIX}{section.upper()}__{key.upper()}, "
        "or keep it in the system keyring.",
    )


def _explained(error: ValidationError, path: Path, overrides: Mapping[str, Any]) -> SettingsError:
    """Name the place of the first wrong value: environment variable, or line of the file."""
    first = error.errors(include_url=False, include_input=False)[0]
    keys = [str(part) for part in first["loc"]]
    name = ".".join(keys)
    reason = first["msg"].removeprefix("Value error, ")
    variable = ENV_PREFIX + "__".join(keys[:2]).upper()
    if keys[0] in overrides and (len(keys) < 2 or keys[1] in overrides[keys[0]]):
        return SettingsError(f"{name}: {reason}.", hint="Correct the value that was passed.")
    if os.environ.get(variable):
        return SettingsError(f"{variable}: {reason}.", hint=f"Correct or unset {variable}.")
    line = _line_of(path, keys)
    where = f"{path.name}, line {line}" if line else path.name
    return SettingsError(f"{where}: {name}: {reason}.", hint=f"Correct {name} in {path}, or take it out.")


def _line_of(path: Path, keys: Sequence[str]) -> int | None:
    """Return the line of a key, counting from 1; of its section where the key is not found."""
    section, found = "", None
    for number, line in enumerate(path.read_text("utf-8-sig").splitlines() if path.exists() else (), start=1):
        if header := re.match(r"\s*\[+\s*([\w.]+)", line):
            section = header[1]
            found = number if section.partition(".")[0] == keys[0] and found is None else found
        elif match := re.match(r"\s*([\w.]+)\s*=", line):
            full = f"{section}.{match[1]}".strip(".").split(".")
            if full == list(keys[: len(full)]):
                return number
    return found


def _apply(table: MutableMapping[str, Any], changes: Mapping[str, Any]) -> None:
    for key, value in changes.items():
        if value is None:
            table.pop(key, None)
        elif isinstance(value, Mapping):
            if not isinstance(table.get(key), MutableMapping):
                table[key] = {}
            _apply(table[key], value)
        else:
            table[key] = str(value) if isinstance(value, Path) else value


def _write(path: Path, text: str) -> None:
    """Replace the file in one step: a crash leaves the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).replace(path)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise HomeError(
            f"The settings could not be written: {error}.",
            hint=f"Free some space or make {path.parent} writable, then try again.",
        ) from error
