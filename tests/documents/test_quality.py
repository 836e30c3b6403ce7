"""Which pages hold text that can be searched."""

from __future__ import annotations

from collections import Counter

import pytest

from app.documents.quality import PageQuality, quality

GOOD = """We present new photometry of Cepheid variables in 19 hosts of type Ia supernovae, obtained with the
Hubble Space Telescope between 2003 and 2015, and use it to measure the Hubble constant."""


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        "Potato",
        "HD 209458 7.65 0.01 6091 4.45 0.02\nHD 189733 7.67 0.03 5052 4.49 -0.03\nWASP-12 11.7 0.1 6118",
        "盐城高新区投资集团有限公司公开发行公司债券募集说明书本期债券的发行规模",
        "Всё о переменных звёздах и о расстояниях до галактик в местной группе",
        "ΔΣ = α β γ and the amplitude A is given by the best fit",
        "figures/big_picture.py figures/irfs.py data/cta/index.fits.gz run_analysis.py gammapy/map.py",
        "REFERENCES Riess, A. G., Macri, L. M., Hoffmann, S. L., et al. 2016, ApJ, 826, 56",
    ],
)
def test_that_words_numbers_and_other_scripts_are_text(text: str) -> None:
    assert quality(text) is PageQuality.OK


@pytest.mark.parametrize(
    "raw",
    [
        "3HQČåQt UR]SXåWČQt ]DPČVWQDQFH SR]RU ]PČQD",
        "\x01\x02\x03\x04\x05\x06\x07\x08 \x0e\x0f\x10\x11\x12 \x13\x14",
        "\ue001\ue002\ue003\ue004 \ue005\ue006\ue007\ue008\ue009 ok",
        "□△□△□△",
        "\ufffd" * 200 + " page 3",
        "/52\x00\x11\x15\x184(\x009%!2",
        "Uif!rvjdl!cspxo!gpy!kvnqt@%%^^ #$%!! &*(#@ !!~~ ||\\\\ {{}} ^^^^ @@##$$%%",
    ],
)
def test_that_text_nobody_can_read_is_garbage(raw: str) -> None:
    shown = "".join(c for c in raw if c.isprintable())
    assert quality(shown, Counter(raw)) is PageQuality.GARBAGE


@pytest.mark.parametrize("text", ["", "   \n ", "12", "- 7 -"])
def test_that_a_page_number_alone_is_no_text(text: str) -> None:
    assert quality(text) is PageQuality.EMPTY


def test_that_a_few_odd_characters_do_not_spoil_a_page() -> None:
    raw = Counter(GOOD + "\uf8f1\uf8f2\uf8f3\x10\x11")
    assert quality(GOOD, raw) is PageQuality.OK
