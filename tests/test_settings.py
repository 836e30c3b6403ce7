"""Settings: order of sources, clear refusals, and saving without loss."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from app.errors import SettingsError
from app.settings import FILE_NAME, Settings, default_home, save


def write(home: Path, text: str) -> None:
    (home / FILE_NAME).write_text(text, encoding="utf-8")


def test_that_a_home_without_a_file_has_the_defaults(tmp_path: Path) -> None:
    settings = Settings.load(tmp_path)
    assert settings == Settings.defaults()
    assert settings.offline is False
    assert settings.llm.provider == "local"
    assert settings.agent.max_output_chars == 4000
    assert settings.sources.arxiv_interval_s == 3


def test_that_the_environment_wins_over_the_file_and_overrides_over_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        tmp_path, "offline = false\n[llm]\nmodel = 'file'\ncontext_tokens = 2048\nbase_url = 'http://file'\n"
    )
    monkeypatch.setenv("ASTRORESEARCH_LLM__MODEL", "env")
    monkeypatch.setenv("ASTRORESEARCH_LLM__CONTEXT_TOKENS", "4096")
    monkeypatch.setenv("ASTRORESEARCH_OFFLINE", "true")
    settings = Settings.load(tmp_path, llm={"context_tokens": 1024})
    assert settings.offline is True
    assert (settings.llm.base_url, settings.llm.model, settings.llm.context_tokens) == (
        "http://file",
        "env",
        1024,
    )


def test_that_every_key_of_the_contract_exists() -> None:
    settings = Settings.defaults()
    keys = {
        "sources": "ads_url ads_token arxiv_url arxiv_site_url ar5iv_url sesame_url simbad_url crossref_url "
        "unpaywall_url unpaywall_email doi_url openalex_url mineru_url mineru_token cdp_url arxiv_interval_s "
        "user_agent",
        "llm": "provider base_url api_key model context_tokens model_path thinking",
        "embedding": "provider model base_url",
        "agent": "tool_timeout_s max_output_chars duplicate_threshold ask_user_timeout_s soft_limit "
        "max_steps "
        "permissions",
        "ui": "theme language",
    }
    for section, names in keys.items():
        for name in names.split():
            assert hasattr(getattr(settings, section), name), f"{section}.{name}"


def test_that_permissions_are_a_list_of_rules(tmp_path: Path) -> None:
    write(tmp_path, "[[agent.permissions]]\naction = 'Deny'\ntool = 'run_bash'\nmatch = 'rm *'\n")
    (rule,) = Settings.load(tmp_path).agent.permissions
    assert (rule.action, rule.tool, rule.match) == ("deny", "run_bash", "rm *")


def test_that_a_broken_file_names_its_line_and_leaves_the_defaults(tmp_path: Path) -> None:
    write(tmp_path, "offline = true\n[llm\nmodel = 1\n")
    with pytest.raises(SettingsError, match="line 2") as error:
        Settings.load(tmp_path)
    assert FILE_NAME in error.value.hint
    assert Settings.defaults().offline is False


def test_that_a_wrong_value_names_its_line_and_key(tmp_path: Path) -> None:
    write(tmp_path, "# mine\n\n[llm]\ncontext_tokens = 'many'\n")
    with pytest.raises(SettingsError, match=r"line 4: llm\.context_tokens"):
        Settings.load(tmp_path)


def test_that_a_wrong_address_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "[sources]\nads_url = 'not an address'\n")
    with pytest.raises(SettingsError, match="web address"):
        Settings.load(tmp_path)


def test_that_a_wrong_environment_variable_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASTRORESEARCH_AGENT__SOFT_LIMIT", "7")
    with pytest.raises(SettingsError, match="ASTRORESEARCH_AGENT__SOFT_LIMIT"):
        Settings.load(tmp_path)


def test_that_an_unreadable_list_in_the_environment_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASTRORESEARCH_AGENT", "{not json")
    with pytest.raises(SettingsError, match="environment variable"):
        Settings.load(tmp_path)


def test_that_a_section_given_as_a_plain_value_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "llm = 'gpt'\n")
    with pytest.raises(SettingsError, match="line 1: llm"):
        Settings.load(tmp_path)


def test_that_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"\xff\xfe\x00offline")
    with pytest.raises(SettingsError, match="cannot be read"):
        Settings.load(tmp_path)


@pytest.mark.parametrize("text", ["[sources]\nads_token = 's3cret'\n", "[llm]\napi_key = 's3cret'\n"])
def test_that_a_secret_in_the_file_is_refused_and_not_repeated(tmp_path: Path, text: str) -> None:
    write(tmp_path, text)
    with pytest.raises(SettingsError) as error:
        Settings.load(tmp_path)
    assert "keyring" in error.value.hint
    assert "ASTRORESEARCH_" in error.value.hint
    assert "s3cret" not in error.value.message + error.value.hint


def test_that_a_secret_comes_from_the_environment_and_is_never_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASTRORESEARCH_SOURCES__ADS_TOKEN", "s3cret")
    settings = Settings.load(tmp_path)
    secret = settings.secret("ads_token")
    assert secret is not None
    assert secret.get_secret_value() == "s3cret"
    assert "s3cret" not in repr(settings) + str(settings.model_dump()) + settings.model_dump_json()


def test_that_saving_keeps_comments_and_unknown_keys(tmp_path: Path) -> None:
    write(tmp_path, "# my settings\nfuture = 1\n[llm]\nmodel = 'a' # why\nunheard = [1, 2]\n")
    save(tmp_path, {"offline": True, "llm": {"model": "b"}, "ui": {"theme": "dark"}})
    text = (tmp_path / FILE_NAME).read_text(encoding="utf-8")
    assert "# my settings" in text
    assert "# why" in text
    assert "unheard = [1, 2]" in text
    settings = Settings.load(tmp_path)
    assert (settings.offline, settings.llm.model, settings.ui.theme) == (True, "b", "dark")
    save(tmp_path, {"llm": {"model": None}})
    assert Settings.load(tmp_path).llm.model == ""


def test_that_saving_refuses_a_secret(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"llm\.api_key"):
        save(tmp_path, {"llm": {"api_key": "s3cret"}})
    assert not (tmp_path / FILE_NAME).exists()


def test_that_saving_over_a_broken_file_sets_it_aside(tmp_path: Path) -> None:
    write(tmp_path, "offline = maybe\n")
    save(tmp_path, {"offline": True})
    assert Settings.load(tmp_path).offline is True
    assert (tmp_path / f"{FILE_NAME}.broken").read_text(encoding="utf-8") == "offline = maybe\n"


def test_that_permissions_survive_saving(tmp_path: Path) -> None:
    save(tmp_path, {"agent": {"permissions": [{"action": "allow", "tool": "grep_files", "match": "*"}]}})
    assert Settings.load(tmp_path).agent.permissions[0].tool == "grep_files"


def test_that_the_home_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASTRORESEARCH_HOME", str(tmp_path))
    assert default_home() == tmp_path
    monkeypatch.delenv("ASTRORESEARCH_HOME")
    assert default_home().name == "AstroResearch"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_that_a_pipe_for_a_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / FILE_NAME)
    with pytest.raises(SettingsError, match="not a plain file"):
        Settings.load(tmp_path)


def test_that_a_file_nested_without_end_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "x = " + "[" * 100_000)
    with pytest.raises(SettingsError, match="not valid TOML"):
        Settings.load(tmp_path)


def test_that_a_home_of_nobody_is_a_name_like_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "[llm]\nmodel_path = '~nobody-has-this-name/m.gguf'\n")
    assert Settings.load(tmp_path).llm.model_path == Path("~nobody-has-this-name/m.gguf")
    monkeypatch.setenv("ASTRORESEARCH_HOME", "~nobody-has-this-name")
    assert default_home() == Path("~nobody-has-this-name")
