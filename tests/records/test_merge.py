"""Merging: identifiers join, titles join with care, companions and errata stay apart."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.records.identifiers import Identifier
from app.records.merge import groups, merged, same_work
from app.records.paper import PaperRecord

TITLE = "A 2.4% determination of the local value of the Hubble constant"


def paper(
    title: str = TITLE, author: str = "Adam G. Riess", year: int | None = 2016, *ids: str, doctype: str = ""
) -> PaperRecord:
    """A record; each of `ids` is "kind:value"."""
    identifiers = tuple(Identifier(*text.split(":", 1)) for text in ids)
    return PaperRecord(
        title=title, authors=(author, "Lucas Macri"), year=year, identifiers=identifiers, doctype=doctype
    )


SAME = [
    (paper(), paper()),
    (paper("A 2.4\\% Determination of the Local Value of the {Hubble} Constant"), paper()),
    (paper(author="Riess, A. G."), paper()),
    (paper(year=2016), paper(year=2017)),
    (paper("X", "A", None, "arxiv:1604.01424"), paper("Y", "B", 1999, "arxiv:1604.01424")),
    (paper("X", "A", 2016, "bibcode:2016arXiv160401424R"), paper("Y", "B", 2016, "arxiv:1604.01424")),
    (paper(TITLE, "Adam Riess", 2016, "doi:10.1/aa"), paper(TITLE, "Adam Riess", 2016, "arxiv:1604.01424")),
    (
        paper(TITLE, "Adam Riess", 2016, "bibcode:2016arXiv160401424R"),
        paper(TITLE, "Adam Riess", 2016, "bibcode:2016ApJ...826...56R"),
    ),
    (paper(author="Planck Collaboration"), paper(author="Planck Collaboration")),
    (paper(author="Karl Åkerman"), paper(author="Akerman, K.")),
    (paper(doctype="article"), paper(doctype="eprint")),
]

APART = [
    (paper(), paper("Another title")),
    (paper(), paper(author="Wendy Freedman")),
    (paper(year=2016), paper(year=2018)),
    (paper(year=None), paper(year=None)),
    (paper(TITLE, "Adam Riess", 2016, "doi:10.1/aa"), paper(TITLE, "Adam Riess", 2016, "doi:10.1/bb")),
    (paper(TITLE, "A R", 2016, "arxiv:1604.01424"), paper(TITLE, "A R", 2016, "arxiv:1604.01425")),
    (paper("Mira variables. I. Data"), paper("Mira variables. II. Data")),
    (paper("Miras: I. Data", "A", 2016, "doi:10.1/aa"), paper("Miras: II. More", "A", 2016, "doi:10.1/aa")),
    (paper(f"Erratum: {TITLE}"), paper()),
    (paper(f"Erratum: {TITLE}", "A R", 2016, "doi:10.1/aa"), paper(TITLE, "A R", 2016, "doi:10.1/aa")),
    (paper(f"Correction to: {TITLE}", "A R", 2016, "doi:10.1/aa"), paper(TITLE, "A R", 2016, "doi:10.1/aa")),
    (paper(f"Second correction to: {TITLE}"), paper(f"Correction to: {TITLE}")),
    (paper("Erratum"), paper("Erratum")),
    (paper("Introduction"), paper("Introduction")),
    (paper("0"), paper("0")),
    (paper(doctype="phdthesis"), paper(doctype="article")),
    (paper(doctype="software"), paper(doctype="article")),
    (paper(doctype="proposal"), paper(doctype="article")),
    (
        paper("WASP-4 is accelerating towards the Earth", "L. G. Bouma", 2019),
        paper("WASP-4 is accelerating toward the Earth", "L. G. Bouma", 2020),
    ),
    (PaperRecord(title=TITLE, year=2016), paper()),
    (PaperRecord(), PaperRecord()),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b"), SAME)
def test_that_manifestations_of_a_work_are_joined(a: PaperRecord, b: PaperRecord) -> None:
    assert same_work(a, b)
    assert same_work(b, a)


@pytest.mark.parametrize(("a", "b"), APART)
def test_that_different_works_stay_apart(a: PaperRecord, b: PaperRecord) -> None:
    assert not same_work(a, b)
    assert not same_work(b, a)
    assert groups([a, b]) == [[0], [1]]


def test_that_the_first_record_wins_and_nothing_is_lost() -> None:
    a = PaperRecord(
        title="A", year=2016, identifiers=(Identifier("doi", "10.1/aa"),), provenance={"title": "ads"}
    )
    b = PaperRecord(
        title="B", authors=("X Y",), year=2015, journal="ApJ", abstract="Text",
        identifiers=(Identifier("arxiv", "1604.01424"), Identifier("doi", "10.1/aa")),
        provenance={"title": "page 1", "authors": "page 1"},
    )  # fmt: skip
    both = merged(a, b)
    assert (both.title, both.authors, both.year, both.journal, both.abstract) == (
        "A",
        ("X Y",),
        2016,
        "ApJ",
        "Text",
    )
    assert both.identifiers == (Identifier("doi", "10.1/aa"), Identifier("arxiv", "1604.01424"))
    assert both.provenance == {"title": "ads", "authors": "page 1"}


def test_that_a_third_record_joins_two_that_share_nothing() -> None:
    preprint = paper("X", "A", 2016, "arxiv:1604.01424")
    article = paper("Y", "B", 2016, "doi:10.1/aa")
    both = paper("Z", "C", 2016, "arxiv:1604.01424", "doi:10.1/aa")
    assert groups([preprint, article, both]) == [[0, 1, 2]]
    assert groups([both, preprint, article]) == [[0, 1, 2]]


def test_that_a_bridge_does_not_join_an_erratum_to_its_paper() -> None:
    erratum = paper(f"Erratum: {TITLE}", "A B", 2016, "doi:10.1/aa")
    article = paper(TITLE, "A B", 2016, "arxiv:1604.01424")
    bridge = paper("", "A B", 2016, "doi:10.1/aa", "arxiv:1604.01424")
    found = groups([erratum, article, bridge])
    assert not any({0, 1} <= set(group) for group in found)


WORDS = (
    "mira variable star galaxy cluster dust magnetic field model survey light curve deep radio halo".split()
)


def drifted(title: str, dice: random.Random) -> str:
    """The title as another source writes it: case, TeX, punctuation, spaces."""
    changes = [
        title.upper(),
        title.replace("α", "$\\alpha$"),
        title.replace(" ", "  "),
        title + ".",
        title.replace(":", " --"),
        f"{{{title}}}",
        title.replace("α", "<i>α</i>"),
    ]
    return dice.choice(changes)


def test_that_two_hundred_drifted_pairs_are_joined_and_no_others() -> None:
    dice = random.Random(7)
    records = []
    for number in range(200):
        title = f"{' '.join(dice.sample(WORDS, 5))} at Hα: {dice.choice(WORDS)} {number}"
        year = dice.randint(1995, 2025)
        records.append(paper(title, "Ana María Muñoz", year, f"arxiv:1604.{number + 1:05d}"))
        records.append(
            paper(drifted(title, dice), "Muñoz, A. M.", year + dice.choice([0, 1]), f"doi:10.1/a{number}")
        )
    found = groups(records)
    right = sum(group == [2 * i, 2 * i + 1] for i, group in enumerate(found)) if len(found) == 200 else 0
    assert right >= 196
    assert all(len({index // 2 for index in group}) == 1 for group in found)


@given(st.lists(st.sampled_from([record for pair in SAME + APART for record in pair]), max_size=6))
def test_that_groups_hold_every_record_once(records: list[PaperRecord]) -> None:
    found = groups(records)
    assert sorted(index for group in found for index in group) == list(range(len(records)))
