"""Recognition: right on real papers, and never more than the page says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.documents.front.imprint import Imprint, bibcode, journal_line
from app.documents.front.metadata import is_junk_author, is_junk_title
from app.documents.front.own_doi import is_placeholder
from app.documents.front.words import is_name
from app.documents.inspect import inspect
from app.documents.inspection import Inspection
from app.documents.opening import open_document
from app.documents.recognise import recognise
from app.records.paper import PaperRecord
from app.records.titles import same_title, similarity
from tests.documents.fronts import PROSE, Front

TITLE = "Dust and pulsation in long-period variables of the outer halo"
AUTHORS = ("Maria Keller", "Jonas van der Veen", "Li Wang")
XMP = """<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:p="http://prismstandard.org/namespaces/basic/2.0/" p:doi="{doi}">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title></rdf:Description>
</rdf:RDF></x:xmpmeta>"""


# -- what the page shows ---------------------------------------------------------------------------


def test_that_title_and_authors_come_from_the_page(tmp_path: Path) -> None:
    record = Front().paper().recognised(tmp_path)
    assert record.title == TITLE
    assert record.authors == AUTHORS
    assert record.year is None
    assert record.identifiers == ()
    assert record.provenance == {"title": "page 1", "authors": "page 1"}


def test_that_the_stamp_in_the_margin_names_the_paper_and_its_year(tmp_path: Path) -> None:
    front = Front().paper().write(30, 500, "arXiv:1803.03598v2  [astro-ph.SR]  9 Mar 2018", size=20, turn=90)
    record = front.recognised(tmp_path)
    assert record.title == TITLE
    assert record.identifier("arxiv") == "1803.03598"
    assert (record.year, record.provenance["year"]) == (2018, "arXiv stamp")


@pytest.mark.parametrize("reverse", [False, True])
def test_that_a_stamp_set_letter_by_letter_is_read(tmp_path: Path, reverse: bool) -> None:
    front = Front().paper()
    text = "arXiv:astro-ph/9901001v1"
    for number, letter in enumerate(text[::-1] if reverse else text):
        front.write(20, 200 + 14 * number, letter, size=12)
    assert front.recognised(tmp_path).identifier("arxiv") == "astro-ph/9901001"


def test_that_an_arxiv_id_in_the_text_is_not_the_papers_own(tmp_path: Path) -> None:
    front = (
        Front().head().prose(extra=("as we showed before (Keller 2017, arXiv:1701.00001) for other fields,",))
    )
    front.write(72, 600, "Keller M., 2017, preprint, arXiv:1701.00002")
    assert front.recognised(tmp_path).identifiers == ()


def test_that_a_doi_in_the_head_is_the_papers_own(tmp_path: Path) -> None:
    front = (
        Front()
        .write(72, 50, "A&A 443, 143–156 (2005)")
        .write(72, 62, "DOI: 10.1051/0004-6361:20053131")
        .paper()
    )
    record = front.recognised(tmp_path)
    assert record.identifier("doi") == "10.1051/0004-6361:20053131"
    assert record.identifier("bibcode") == "2005A&A...443..143K"
    assert (record.journal, record.volume, record.pages, record.year) == ("A&A", "443", "143", 2005)


CITED = [
    "the catalogue of Smith et al. (10.1086/345794) lists the same stars with other names,",
    "data are available at https://doi.org/10.5281/zenodo.1234567",
    "[1] A. Smith, Phys. Rev. Lett. 12, 345 (2001), doi:10.1103/PhysRevLett.12.345",
    "12. Smith, A. Some paper. https://doi.org/10.1038/nature12345",
]


@pytest.mark.parametrize("line", CITED)
def test_that_a_cited_doi_is_not_the_papers_own(tmp_path: Path, line: str) -> None:
    assert Front().head().prose(extra=(line,)).recognised(tmp_path).identifiers == ()


@pytest.mark.parametrize("line", CITED[1:])
def test_that_a_cited_doi_at_the_foot_is_not_the_papers_own(tmp_path: Path, line: str) -> None:
    assert Front().paper().write(72, 740, line, size=8).recognised(tmp_path).identifiers == ()


def test_that_dois_after_the_references_belong_to_others(tmp_path: Path) -> None:
    front = Front().paper().write(72, 560, "References", size=12, font="tibo")
    front.write(72, 580, "Smith A., 2001").write(72, 592, "https://doi.org/10.1038/nature12345")
    assert front.recognised(tmp_path).identifiers == ()


def test_that_a_page_of_references_has_neither_title_nor_identifier(tmp_path: Path) -> None:
    front = Front()
    for number in range(30):
        front.write(
            72,
            80 + 14 * number,
            f"[{number}] A. Smith, B. Jones, J. Phys. {number}, 12. doi: 10.1088/000{number}-12",
        )
    assert front.recognised(tmp_path).identifiers == ()


@pytest.mark.parametrize(
    "doi",
    ["10.1145/1122445.1122456", "10.1093/mnras/stxxxx", "10.1051/0004-6361/xxxxxxx", "10.13039/501100000780"],
)
def test_that_a_templates_doi_is_no_doi(tmp_path: Path, doi: str) -> None:
    assert is_placeholder(doi)
    assert Front().write(72, 50, f"DOI: {doi}").paper().recognised(tmp_path).identifiers == ()


def test_that_a_cover_page_is_looked_behind(tmp_path: Path) -> None:
    front = Front()
    front.write(72, 100, "University of Nowhere Research Archive", size=18, font="tibo")
    front.write(72, 150, "Citation for published version:")
    front.write(72, 165, f"Keller, M 2019, '{TITLE}',")
    front.write(72, 180, "https://doi.org/10.1093/mnras/stz1234")
    record = front.next_page().paper().recognised(tmp_path)
    assert record.title == TITLE
    assert record.authors == AUTHORS
    assert record.identifier("doi") == "10.1093/mnras/stz1234"
    assert record.provenance["title"] == "page 2"


def test_that_a_cover_of_another_paper_gives_no_doi(tmp_path: Path) -> None:
    front = (
        Front()
        .write(72, 150, "Citation for published version:")
        .write(72, 165, "Someone, Another title altogether")
    )
    front.write(72, 180, "https://doi.org/10.1093/mnras/stz1234")
    assert front.next_page().paper().recognised(tmp_path).identifiers == ()


def test_that_a_chinese_first_page_is_read(tmp_path: Path) -> None:
    front = Front()
    front.write(150, 120, "银河系晕中长周期变星的测光研究", size=18, font="china-s")
    front.write(220, 150, "罗兴武  孙 萌  刘 洋", size=12, font="china-s")
    front.write(180, 170, "（北京大学物理学院天文学系，北京 100871）", size=9, font="china-s")
    for number in range(12):
        front.write(
            72,
            210 + 14 * number,
            "摘要：本文研究了银河系晕中长周期变星的光变曲线并给出了它们的周期和振幅。",
            size=10,
            font="china-s",
        )
    record = front.recognised(tmp_path)
    assert record.title == "银河系晕中长周期变星的测光研究"
    assert record.authors == ("罗兴武", "孙萌", "刘洋")


def test_that_placeholders_are_taken_as_printed_and_nothing_is_made_up(tmp_path: Path) -> None:
    front = (
        Front()
        .write(250, 150, "Title", size=24, font="tibo")
        .write(240, 200, "Author", size=20)
        .write(260, 300, "Date", size=14)
    )
    record = front.next_page().prose(80).recognised(tmp_path, title="Title", author="Author")
    assert record.title in {"", "Title"}
    assert record.authors in {(), ("Author",)}
    assert record.year is None
    assert record.identifiers == ()


def test_that_a_page_inside_a_paper_has_no_title(tmp_path: Path) -> None:
    front = Front().write(72, 40, "5", size=9).write(200, 40, "M. Keller et al.", size=9).prose(80)
    record = front.recognised(tmp_path)
    assert (record.title, record.authors) == ("", ())


def test_that_a_file_without_text_gives_an_empty_record(tmp_path: Path) -> None:
    assert Front().recognised(tmp_path) == PaperRecord()
    assert recognise(Inspection(page_count=0)) == PaperRecord()


# -- metadata --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "title",
    [
        "untitled", "Untitled-1", "fit_hyp_M_3.00.eps", "PDF/43/aa3131-05.pdf.url", "Microsoft Word - a.doc",
        "88300 162..177", "ms.dvi", "C:\\temp\\x.tex", "paper", "Title", "2003MNRAS.343...67G",
        "doi:10.1086/345794", "aa12345-18", "p020-dutot.dvi",
        "PII: S0370-2693(99)00123-4", "PowerPoint Presentation", "", "12345",
    ],
)  # fmt: skip
def test_that_junk_titles_are_refused(tmp_path: Path, title: str) -> None:
    assert is_junk_title(title)
    assert Front().paper().recognised(tmp_path, title=title or "x").title == TITLE


@pytest.mark.parametrize(
    "title",
    [TITLE, "Bitcoin: A Peer-to-Peer Electronic Cash System", "数字拟人品：数字技术", "Gaussian processes"],
)
def test_that_real_titles_are_not_junk(title: str) -> None:
    assert not is_junk_title(title)


@pytest.mark.parametrize(
    "author", ["Name", "ygw", "EDPSciences", "Administrator", "user1", "a@b.org", "", "IEEE"]
)
def test_that_junk_authors_are_refused(author: str) -> None:
    assert is_junk_author(author)


def test_that_a_metadata_title_that_is_not_printed_does_not_count(tmp_path: Path) -> None:
    record = Front().paper().recognised(tmp_path, title="A completely different title of something else")
    assert record.title == TITLE


def test_that_the_metadata_gives_the_writing_of_a_title_in_capitals(tmp_path: Path) -> None:
    front = Front().paper(
        title=tuple(line.upper() for line in ("Dust in the halo of M31", "and of its satellites"))
    )
    record = front.recognised(tmp_path, title="Dust in the Halo of M31 and of its Satellites")
    assert record.title == "Dust in the Halo of M31 and of its Satellites"


def test_that_a_doi_in_the_xmp_counts_if_its_title_is_the_printed_one(tmp_path: Path) -> None:
    front = Front().paper()
    front.document.set_xml_metadata(XMP.format(doi="10.1093/mnras/stz1234", title=TITLE))
    record = front.recognised(tmp_path)
    assert record.identifier("doi") == "10.1093/mnras/stz1234"
    assert record.provenance["doi"] == "xmp"


def test_that_a_doi_in_the_xmp_of_another_paper_does_not_count(tmp_path: Path) -> None:
    front = Front().paper()
    front.document.set_xml_metadata(XMP.format(doi="10.1093/mnras/stz1234", title="Something else entirely"))
    assert front.recognised(tmp_path).identifiers == ()


def test_that_metadata_authors_count_only_if_printed(tmp_path: Path) -> None:
    assert Front().paper(authors="").recognised(tmp_path, author="Jane Roe").authors == ()


# -- pieces ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "imprint"),
    [
        ("A&A 443, 143–156 (2005)", Imprint("A&A", "443", "143", 2005)),
        ("A&A, 571, A16 (2014)", Imprint("A&A", "571", "A16", 2014)),
        ("Mon. Not. R. Astron. Soc. 319, 728±758 (2000)", Imprint("MNRAS", "319", "728", 2000)),
        ("MNRAS 465, 1234–1245 (2017)", Imprint("MNRAS", "465", "1234", 2017)),
        ("The Astrophysical Journal, 826:56 (31pp), 2016 July 20", Imprint("ApJ", "826", "56", 2016)),
        ("THE ASTROPHYSICAL JOURNAL, 500:525–553, 1998 June 20", Imprint("ApJ", "500", "525", 1998)),
        (
            "The Astrophysical Journal Letters, 848:L12 (59pp), 2017 October",
            Imprint("ApJL", "848", "L12", 2017),
        ),
        ("The Astronomical Journal, 156:123 (49pp), 2018 September", Imprint("AJ", "156", "123", 2018)),
    ],
)
def test_that_journal_lines_are_read(line: str, imprint: Imprint) -> None:
    assert journal_line([line]) == imprint


@pytest.mark.parametrize(
    "line",
    ["MNRAS 000, 1–4 (2017)", "as in A&A 443, 143 (2005)", "A&A manuscript no. ms", "(2001, MNRAS, 321, 77)"],
)
def test_that_drafts_and_citations_have_no_imprint(line: str) -> None:
    assert journal_line([line]) is None


@pytest.mark.parametrize(
    ("imprint", "author", "code"),
    [
        (Imprint("A&A", "443", "143", 2005), "M. A. T. Groenewegen", "2005A&A...443..143G"),
        (Imprint("A&A", "542", "A16", 2012), "X. Riess", "2012A&A...542A..16R"),
        (Imprint("MNRAS", "319", "728", 2000), "Patricia Whitelock", "2000MNRAS.319..728W"),
        (Imprint("ApJL", "848", "L12", 2017), "B. P. Abbott", "2017ApJ...848L..12A"),
        (Imprint("AJ", "116", "1009", 1998), "Adam G. Riess", "1998AJ....116.1009R"),
        (Imprint("ApJ", "826", "56", 2016), "R. P. van der Marel", "2016ApJ...826...56V"),
    ],
)
def test_that_the_imprint_makes_the_bibcode(imprint: Imprint, author: str, code: str) -> None:
    found = bibcode(imprint, author)
    assert found is not None
    assert found.value == code


@pytest.mark.parametrize(
    "name",
    ["Adam G. Riess", "L. A. C. van Son", "Edgard Rivera-Valentín", "Mary J. O’Connell",
     "Claude-André Faucher-Giguère", "S.-T. Wang", "Jan van de Ven", "Planck Collaboration", "罗兴武",
     "Yong-Gwi Cho",      "Martin King Jr.", "Feiping Nie"],
)  # fmt: skip
def test_that_names_are_names(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize(
    "text",
    ["University of Nowhere", "ABSTRACT", "We present results", "Department of Physics", "Draft version",
     "12 March 2018", "开展现场爆破试验", "Received 4 October", "a@b.org", "Cambridge, MA",
     "Introduction", "IEEE", ""],
)  # fmt: skip
def test_that_other_lines_are_no_names(text: str) -> None:
    assert not is_name(text)


# -- the corpus ------------------------------------------------------------------------------------


def truth(shared: Path) -> list[dict[str, Any]]:
    entries = json.loads((shared / "corpus" / "truth.json").read_text(encoding="utf-8"))
    return [entry for entry in entries if entry["kind"] != "nasty" and entry["has_text_layer"]]


def judged(record: PaperRecord, wanted: dict[str, Any]) -> dict[str, bool]:
    """Per field, whether the record agrees with the truth, an empty field included."""
    title, authors, count = wanted["title"] or "", wanted["authors"] or [], wanted["n_authors"]
    return {
        "title": record.title == title
        or same_title(record.title, title)
        or similarity(record.title, title) > 0.95,
        "identifiers": record.identifier("doi") == wanted["doi"]
        and record.identifier("arxiv") == wanted["arxiv_id"]
        and record.identifier("bibcode") in (wanted["bibcode"], wanted["bibcode_derivable"]),
        "authors": list(record.authors[: len(authors)]) == authors,
        "author count": len(record.authors) == count if isinstance(count, int) else len(record.authors) > 3,
        "year": record.year == wanted["year"],
    }


@pytest.mark.slow
def test_that_nine_in_ten_papers_of_the_corpus_are_recognised(shared: Path) -> None:
    entries = truth(shared)
    right: dict[str, int] = {}
    for wanted in entries:
        record = recognise(inspect(open_document(shared / "corpus" / wanted["file"], wanted["password"])))
        for field, good in judged(record, wanted).items():
            right[field] = right.get(field, 0) + good
            if not good:
                print(f"{wanted['file']}: {field}: {record}")
    shares = {field: count / len(entries) for field, count in right.items()}
    print({field: f"{share:.0%} of {len(entries)}" for field, share in shares.items()})
    assert shares["title"] >= 0.9
    assert shares["identifiers"] >= 0.9
    assert min(shares.values()) >= 0.85


@pytest.mark.slow
def test_that_a_scan_from_ads_is_named_by_the_bibcode_in_its_margin(shared: Path) -> None:
    path = shared / "corpus" / "papers" / "2003MNRAS.343...67G-scan.pdf"
    record = recognise(inspect(open_document(path)))
    assert record.identifier("bibcode") == "2003MNRAS.343...67G"
    assert (record.title, record.authors, record.year) == ("", (), 2003)


def test_that_prose_alone_is_no_title(tmp_path: Path) -> None:
    front = Front()
    for number, line in enumerate(PROSE * 6):
        front.write(72, 72 + 12 * number, line)
    assert front.recognised(tmp_path).title == ""
