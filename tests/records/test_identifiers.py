"""The grammar of DOI, arXiv id and bibcode, with the traps seen in real files."""

from __future__ import annotations

import string
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.records.identifiers import (
    Identifier,
    arxiv_of_bibcode,
    arxiv_version,
    find,
    find_spans,
    parse,
)

ARXIV = [
    ("1803.03598", "1803.03598"),
    ("arXiv:1803.03598", "1803.03598"),
    ("ArXiv: 1803.03598v2", "1803.03598"),
    ("arxiv1803.03598", "1803.03598"),
    ("arXiv.1803.03598", "1803.03598"),
    ("1803.03598v12", "1803.03598"),
    ("0704.0001", "0704.0001"),
    ("1412.9999", "1412.9999"),
    ("arXiv:0706.0001v1 [q-bio.CB] 1 Jun 2007", "0706.0001"),
    ("https://arxiv.org/abs/1803.03598", "1803.03598"),
    ("http://arxiv.org/abs/1803.03598v3", "1803.03598"),
    ("arxiv.org/abs/1803.03598", "1803.03598"),
    ("https://www.arxiv.org/pdf/1803.03598.pdf", "1803.03598"),
    ("https://export.arxiv.org/pdf/1803.03598v1", "1803.03598"),
    ("https://arxiv.org/html/2401.00001v1#S2", "2401.00001"),
    ("https://arxiv.org/e-print/1803.03598", "1803.03598"),
    ("https://arxiv.org/abs/1803.03598?context=astro-ph", "1803.03598"),
    ("https://ar5iv.labs.arxiv.org/html/1803.03598", "1803.03598"),
    ("10.48550/arXiv.1803.03598", "1803.03598"),
    ("https://doi.org/10.48550/ARXIV.1803.03598", "1803.03598"),
    ("doi:10.48550/arXiv.astro-ph/9901001", "astro-ph/9901001"),
    ("astro-ph/9901001", "astro-ph/9901001"),
    ("astro-ph/9901001v3", "astro-ph/9901001"),
    ("arXiv:astro-ph/9901001", "astro-ph/9901001"),
    ("hep-ph/9212264", "hep-ph/9212264"),
    ("math.GT/0309136", "math/0309136"),
    ("cond-mat.mes-hall/0309136", "cond-mat/0309136"),
    ("Astro-Ph/0603380v1", "astro-ph/0603380"),
    ("https://arxiv.org/abs/astro-ph/9901001v2", "astro-ph/9901001"),
    ("https://arxiv.org/pdf/math/0309136.pdf", "math/0309136"),
    ("1803.03598.pdf", "1803.03598"),
]

NOT_ARXIV = [
    "2012.1234",  # five digits since 2015
    "1412.12345",  # four digits before
    "1813.03598",  # no such month
    "0703.1234",  # before the new style began
    "1501.00000",
    "ascl:1706.009",
    "z=0704.1234",
    "J0704.1234-0501.1234",
    "v1.1803.03598",
    "1803.03598.12",
    "11803.03598",
    "1803.035981",
    "astro-ph/0704001",  # the old style had ended
    "astro-ph/9913001",
    "12.3456 and 1234.5678",
]

SICI = "10.1002/1521-3994(200102)322:1<1::aid-asna1>3.0.co;2-u"

DOI = [
    ("10.1086/345794", "10.1086/345794"),
    ("doi:10.1086/345794", "10.1086/345794"),
    ("DOI: 10.1086/345794.", "10.1086/345794"),
    ("https://doi.org/10.1086/345794", "10.1086/345794"),
    ("http://dx.doi.org/10.1051/0004-6361:20053131", "10.1051/0004-6361:20053131"),
    ("10.1016/0370-2693(91)90123-X", "10.1016/0370-2693(91)90123-x"),
    ("(10.1016/0370-2693(82)91219-9)", "10.1016/0370-2693(82)91219-9"),
    ("10.1002/1521-3994(200102)322:1<1::AID-ASNA1>3.0.CO;2-U", SICI),
    ("10.1002/1521-3994(200102)322:1&lt;1::AID-ASNA1&gt;3.0.CO;2-U", SICI),
    ("10.1007/978-3-319-20046-4\\_13", "10.1007/978-3-319-20046-4_13"),
    ("10.1007/978-3-319-20046-4{\\_}13", "10.1007/978-3-319-20046-4_13"),
    ("10.1086%2F345794", "10.1086/345794"),
    ("https://iopscience.iop.org/article/10.3847/1538-4357/ab1234/pdf", "10.3847/1538-4357/ab1234"),
    ("https://iopscience.iop.org/article/10.3847/1538-4357/ab1234/meta", "10.3847/1538-4357/ab1234"),
    ("https://onlinelibrary.wiley.com/doi/abs/10.1111/j.1365-2966.2010.1.x", "10.1111/j.1365-2966.2010.1.x"),
    ("https://example.org/doi/10.1086/345794?journalCode=apj", "10.1086/345794"),
    ("<a href=\"https://doi.org/10.1086/345794\">10.1086/345794</a>", "10.1086/345794"),
    ("(see 10.1086/345794, and others)", "10.1086/345794"),
    ("“10.1086/345794”", "10.1086/345794"),
    ("10.3847/\n1538-4357/ab1234 is wrapped", "10.3847/1538-4357/ab1234"),
    ("10.1088/0004-\n637X/794/1/1", "10.1088/0004-637x/794/1/1"),
    ("10.1088/0004\u2010637X/794/1/1", "10.1088/0004-637x/794/1/1"),
    ("10.1086/345794\nThe next sentence", "10.1086/345794"),
    ("10.19744/j.cnki.11-1235/f.20240321.001", "10.19744/j.cnki.11-1235/f.20240321.001"),
    ("10.1086/345794，中文", "10.1086/345794"),
    ("10.1000.10/123456", "10.1000.10/123456"),
]  # fmt: skip

NOT_DOI = [
    "11.1111/test.11",
    "110.1086/345794",
    "10.12/345",
    "978-1-60558-392-1/09/06",
    "10.1086",
    "10.1086/",
    "1.10.1086/x",
]

BIBCODES = [
    "2012A&A...542A..16R",
    "2018PhRvL.120b9901P",
    "2019GCN.25753....1L",
    "2024SPIE13420E....X",
    "2016emo6.rept.....R",
    "2024E3SWC.50307004O",
    "2023ascl.soft01001X",
    "2003MNRAS.343...67G",
    "2018arXiv180303598K",
    "2012arXiv1204.4485R",
    "1999astro.ph.12179F",
    "1998AJ....116.1009R",
    "2000MNRAS.319..728W",
]


@pytest.mark.parametrize(("text", "value"), ARXIV)
def test_that_every_form_of_an_arxiv_id_is_one_value(text: str, value: str) -> None:
    assert find(text) == [Identifier("arxiv", value)]
    assert parse(text) == Identifier("arxiv", value)


@pytest.mark.parametrize("text", NOT_ARXIV)
def test_that_numbers_like_arxiv_ids_are_left_alone(text: str) -> None:
    assert not [i for i in find(text) if i.kind == "arxiv"]


@pytest.mark.parametrize(("text", "value"), DOI)
def test_that_a_doi_is_read_without_what_surrounds_it(text: str, value: str) -> None:
    assert find(text) == [Identifier("doi", value)]


@pytest.mark.parametrize("text", NOT_DOI)
def test_that_what_is_no_doi_is_left_alone(text: str) -> None:
    assert find(text) == []


@pytest.mark.parametrize("bibcode", BIBCODES)
def test_that_bibcodes_are_found_whole_in_text_and_links(bibcode: str) -> None:
    found = Identifier("bibcode", bibcode)
    assert find(f"see {bibcode}, and") == [found]
    assert parse(bibcode) == found
    link = bibcode.replace("&", "%26")
    assert parse(f"https://ui.adsabs.harvard.edu/abs/{link}/abstract") == found


def test_that_a_bibcode_of_dots_is_taken_as_a_whole_value_only() -> None:
    assert parse("2024..............S") == Identifier("bibcode", "2024..............S")
    assert find("wait 2024..............S") == []


@pytest.mark.parametrize("text", ["2019SupplementaryTab", "12345678901234567890", "1234abcdefghijklmnop"])
def test_that_long_words_are_no_bibcodes(text: str) -> None:
    assert find(text) == []


def test_that_a_doi_hides_the_arxiv_id_in_its_tail() -> None:
    assert find("10.1234/2012.12345") == [Identifier("doi", "10.1234/2012.12345")]


def test_that_identifiers_come_in_order_without_repeats() -> None:
    text = "2012A&A...542A..16R, arXiv:1803.03598, 10.1086/345794, 1803.03598v2"
    assert [i.kind for i in find(text)] == ["bibcode", "arxiv", "doi"]


@pytest.mark.parametrize(
    "text", ["", "see 10.1086/345794", "1803.03598 and 1803.03599", "Riess 2016", "10.1086/1 10.1086/22"]
)
def test_that_more_than_one_identifier_or_words_do_not_parse(text: str) -> None:
    assert parse(text) is None


def test_that_versions_are_read() -> None:
    assert arxiv_version("arXiv:1803.03598v3 [astro-ph.CO]") == 3
    assert arxiv_version("astro-ph/9901001v2") == 2
    assert arxiv_version("arXiv:1803.03598") is None
    assert arxiv_version("10.1086/345794v2") is None


@pytest.mark.parametrize(
    ("bibcode", "value"),
    [
        ("2018arXiv180303598K", "1803.03598"),
        ("2012arXiv1204.4485R", "1204.4485"),
        ("1999astro.ph.12179F", "astro-ph/9912179"),
        ("2000astro.ph..9066M", "astro-ph/0009066"),
        ("1991hep.th...10030D", "hep-th/9110030"),
    ],
)
def test_that_an_eprint_bibcode_gives_its_arxiv_id(bibcode: str, value: str) -> None:
    assert arxiv_of_bibcode(bibcode) == Identifier("arxiv", value)


def test_that_other_bibcodes_give_no_arxiv_id() -> None:
    assert arxiv_of_bibcode("2012A&A...542A..16R") is None


new_style = st.builds(
    lambda year, month, number: f"{year:02d}{month:02d}.{number:05d}",
    st.integers(15, 29), st.integers(1, 12), st.integers(1, 99999),
)  # fmt: skip
old_style = st.builds(
    lambda archive, year, month, number: f"{archive}/{year % 100:02d}{month:02d}{number:03d}",
    st.sampled_from(["astro-ph", "gr-qc", "hep-th", "math", "physics"]),
    st.integers(1992, 2006), st.integers(1, 12), st.integers(1, 999),
)  # fmt: skip


@given(st.one_of(new_style, old_style), st.integers(1, 99))
def test_that_an_arxiv_id_survives_every_wrapping(value: str, version: int) -> None:
    wanted = Identifier("arxiv", value)
    for text in (value, f"arXiv:{value}", f"{value}v{version}", f"https://arxiv.org/abs/{value}v{version}",
                 f"https://arxiv.org/pdf/{value}.pdf", f"10.48550/arXiv.{value}"):  # fmt: skip
        assert parse(text) == wanted
        assert find(f"as in {text}, and") == [wanted]
    assert arxiv_version(f"{value}v{version}") == version


@given(
    st.text(string.ascii_lowercase + string.digits + ".-_;()/:", min_size=1, max_size=30).filter(
        lambda s: s[-1].isalnum() and s.count("(") == s.count(")") and "()" not in s and s[0].isalnum()
    )
)
def test_that_a_doi_survives_every_wrapping(suffix: str) -> None:
    doi = f"10.9876/{suffix}"
    for text in (doi, f"doi:{doi}", f"https://doi.org/{doi}", doi.upper()):
        assert Identifier("doi", doi) in find(text) or doi.endswith((".pdf", "/pdf", "/full", ".full"))


@given(st.text(max_size=300))
def test_that_no_text_breaks_the_grammar(text: str) -> None:
    spans = find_spans(text)
    for start, end, _ in spans:
        assert 0 <= start < end <= len(text)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    parse(text)
    arxiv_version(text)
