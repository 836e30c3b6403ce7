from __future__ import annotations

from provision.index import settings_of_pip, uv_environment

LISTED = """\
:env:.index-url='https://index.example/simple'
global.index-url='https://other.example/simple'
global.extra-index-url='https://a.example/simple\\nhttps://b.example/simple'
global.find-links='/srv/wheels'
install.trusted-host='index.example'
download.index-url='https://download.example'
"""


def test_that_the_environment_wins_over_pips_files() -> None:
    assert settings_of_pip(LISTED)["index-url"] == "https://index.example/simple"
    assert settings_of_pip("global.no-index='true'\n") == {"no-index": "true"}
    assert settings_of_pip("") == {}


def test_that_uv_is_sent_where_pip_looks() -> None:
    assert uv_environment(settings_of_pip(LISTED), {}) == {
        "UV_DEFAULT_INDEX": "https://index.example/simple",
        "UV_INDEX": "https://a.example/simple https://b.example/simple",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_FIND_LINKS": "/srv/wheels",
        "UV_INSECURE_HOST": "index.example",
    }


def test_that_what_is_set_for_uv_stands() -> None:
    assert uv_environment(settings_of_pip(LISTED), {"UV_INDEX_URL": "https://mine.example"}) == {}


def test_that_uv_is_left_alone_where_pip_has_no_settings() -> None:
    assert uv_environment({}, {}) == {}
