"""What a line of a first page is, judged by its words: furniture, affiliation, names."""

from __future__ import annotations

import re

from app.records.names import is_collaboration

_FURNITURE = re.compile(
    "|".join(
        rf"(?:{pattern})"
        for pattern in (
            # the state of the manuscript
            r"(?:draft|preprint|submitted|accepted|received|published|revised|compiled|typeset|in preparation)\b.*",
            r".*\b(?:typeset|compiled) using .*|.*style file v?\d.*|.*style in aastex.*|show your work!?",
            r"advance access.*|available online.*|downloaded (?:from|by)\b.*|contents lists available\b.*",
            # journals and their banners
            r"(?:mnras|a&a|apj[ls]?|aj)\b.*|mon\. not.*|monthly notices of.*|publ\.? astron.*|publications of the.*",
            r"(?:the )?astro(?:physical|nomical) journal.*|astronomy\s*(?:&|and)\s*astrophysics(?: manuscript.*)?",
            r"astronomy\s*&?|&?\s*astrophysics|&|physical review.*|phys\. rev.*|nature(?: astronomy| communications)?",
            r"science|icarus|journal of [^:]{0,60}|annual review.*|scientific reports|proceedings of.*|acta astronom.*",
            r"pos\s*\(.*|journal homepage.*|sciencedirect|elsevier|springer|a letters journal.*|open research.*",
            r"(?:original|research|review|regular|invited|short|brief|scientific|full)?\s?"
            r"(?:article|paper|communication|report|letter)s?(?: to the editor)?",
            r"open(?: access)?|article info(?:rmation)?|special issue\b.*|focus|editorial|news(?: & views)?|letters?",
            r"arxiv:.*|doi[:\s].*|https?://.*|www\..*|e?-?issn\b.*|isbn\b.*|vol(?:ume|\.) ?\d.*|page \d+.*",
            r"(?:©|\(c\)|c\s?[⃝○◯]|copyright)\s?.*|all rights reserved.*|\d+",
            # headings of the front matter
            r"(?:an? )?abstract\b.{0,3}|a\s?b\s?s\s?t\s?r\s?a\s?c\s?t|summary|introduction|(?:table of )?contents|references",
            r"(?:key ?words?|subject headings|unified astronomy thesaurus.*)\b.*|acknowledge?ments?|conclusions?",
            r"list of (?:figures|tables)|discussion|and|by|supervised by|course notes|(?:sample )?logo|sample",
            r"(?:this |an? )?(?:\w+ )?(?:thesis|dissertation)\b.*|submitted (?:in|to)\b.*",
            r"(?:the )?(?:university|department|faculty|institute) of\b.*|(?:sample )?university(?: logo)?",
            r"摘\s*要.*|关键词.*|引言|目\s*录|收稿日期.*|中图分类号.*|基金项目.*",
        )
    ),
    re.IGNORECASE | re.DOTALL,
)

_AFFILIATION = re.compile(
    r"""\b(?:universit|institut|departe?a?ment|dept\b|observator|college|laborator|facult|academy|academia|school\ of|
    centre|center\b|division\ of|ministry|agency|corporation|company\b|gmbh|\binc\b|ltd\b|hospital|
    foundation|fellow\b|fellowship|street|avenue|road\b|building|campus|p\.?\ ?o\.?\ box|
    e-?mail|electronic\ address|present\ address|current\ address|correspond|@|https?:|www\.|
    nasa\b|caltech|jpl\b|cnrs|csic|inaf\b|infn\b|kek\b|cern\b|eso\b|noirlab|stsci|fermilab|
    usa\b|u\.s\.a|united\ kingdom|\buk\b|germany|france|italy|spain|netherlands|china\b|japan|canada|australia|
    switzerland|sweden|denmark|chile\b|brazil|russia|israel|india\b|korea|mexico|m[ée]xico|poland|belgium|austria|
    google|mozilla|adobe|microsoft|大学|学院|研究所|研究院|天文台|实验室)""",
    re.IGNORECASE | re.VERBOSE,
)

_ADDRESS = re.compile(
    r"@|\be-?mail\b|\bdepartment of\b|\buniversit\w+\b.*,|\binstitut\w*\b.*,|,.*\buniversit|\bp\.? ?o\.? box\b|^\d+ ?[A-Z].*,.*,",
    re.IGNORECASE,
)
_PARTICLE = "van|von|der|den|de|del|della|di|da|do|dos|du|des|la|le|el|al|ter|ten|te|zu|zum|zur|af|av|bin|ibn|y|e|d'|'t"
_INITIAL = r"(?:[^\W\d_a-z]\.?|[^\W\d_a-z][^\W\d_]?\.)(?:[-\s]?[^\W\d_a-z]\.)*"
_WORD = r"(?:[^\W\d_a-zà-ÿ][\w'’.‘`-]*|(?:d|l|O|D|al|el)['’-]?[^\W\d_a-z][\w'’-]+)"
_NAME = re.compile(
    rf"^(?:{_INITIAL}|{_WORD})(?:[\s~-]+(?:{_INITIAL}|{_WORD}|(?:{_PARTICLE})(?=[\s'’])))*"
    r"(?:,?\s+(?:Jr|Sr)\.?|\s+I{2,3}|\s+IV)?$"
)
_CJK_NAME = re.compile(r"^[\u3400-\u9fff·]{2,6}$")
_NOT_NAME_WORDS = frozenset(
    "abstract introduction the of for with from in on at by to a an is are we this that these our using new "
    "draft version submitted accepted received published title article paper letter data analysis model models study "
    "results method methods theory observations observation survey stars galaxies galaxy star university institute "
    "department figure table section contents software review repository archive editor editors editorial reviewers "
    "license keywords january february march april may june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday sample logo city country date faculty design project "
    "appendix chapter part volume journal science astrophysics astronomy physics cosmology thesis proposal report "
    "member fellow senior student ieee acm pakistan iran turkey egypt greece norway finland portugal hungary "
    "system management applications technical document open access copyright creative commons available online".split()
)
_NOT_NAME_ENDINGS = ("tion", "tions", "ness", "ity", "ities", "ology", "isms", "ical")


def is_furniture(text: str) -> bool:
    """Whether a line belongs to the journal or the style file, not to the paper."""
    return bool(_FURNITURE.fullmatch(text.strip()))


def is_affiliation(text: str) -> bool:
    """Whether a line tells where authors work or how to reach them."""
    return bool(_AFFILIATION.search(text))


def is_address(text: str) -> bool:
    """Whether a line is an address for certain; "NASA's Kepler" may stand in a title."""
    return bool(_ADDRESS.search(text))


def is_name(text: str) -> bool:
    """Whether a piece of text has the shape of one person's name or of a collaboration."""
    text = text.strip()
    if not 2 <= len(text) <= 60 or any(c.isdigit() for c in text):
        return False
    if _CJK_NAME.match(text.replace(" ", "")):
        return True
    if is_collaboration(text):
        return text[0].isupper() and len(text.split()) <= 8 and not text.endswith(".")
    if is_affiliation(text) or not _NAME.match(text):
        return False
    words = re.split(r"[\s~]+", text)
    if len(words) > 6 or (len(words) == 1 and (not text.isalpha() or text.isupper())):
        return False
    plain = [word.strip(".,'’").casefold() for word in words]
    if any(word in _NOT_NAME_WORDS and len(word) > 1 for word in plain):
        return False
    return not any(len(word) > 6 and word.endswith(_NOT_NAME_ENDINGS) for word in plain)


def names_in(text: str) -> bool:
    """Whether a line of text is made of names: most pieces between commas and "and" have that shape."""
    pieces = [p for p in re.split(r",|;|&|\band\b|\bet al\b\.?|\s{2,}", text) if p.strip(r" .\d")]
    names = [p for p in pieces if is_name(p) and (len(p.split()) > 1 or _CJK_NAME.match(p.strip()))]
    return bool(names) and len(names) >= 0.6 * len(pieces)
