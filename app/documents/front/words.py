"""What a line of a first page is, judged by its words: furniture, affiliation, names."""

from __future__ import annotations

import re

from app.records.names import is_collaboration

_FURNITURE_PATTERNS = (
    # the state of the manuscript
    r"(?:draft|preprint|submitted|accepted|received|published|revised|compiled|typeset|in preparation)\b.*",
    r".*\b(?:typeset|compiled) using .*|.*style file v?\d.*|.*style in aastex.*|show your work!?",
    r"advance access.*|available online.*|downloaded (?:from|by)\b.*|contents lists available\b.*",
    # journals and their banners
    r"(?:mnras|a&a|apj[ls]?|aj)\b.*|mon\. not.*|monthly notices of.*|publ\.? astron.*|publications of the.*",
    r"(?:the )?astro(?:physical|nomical) journal.*|a letters journal.*|acta astronom.*|annual review.*",
    r"astronomy\s*(?:&|and)\s*astrophysics(?: manuscript.*)?|astronomy\s*&?|&?\s*astrophysics|&",
    r"physical review.*|phys\. rev.*|nature(?: astronomy| communications)?|science|icarus|scientific reports",
    r"journal of [^:]{0,60}|journal homepage.*|proceedings of.*|pos\s*\(.*|sciencedirect|elsevier|springer",
    # kinds of article
    r"(?:original|research|review|regular|invited|short|brief|scientific|full)?\s?(?:article|paper)s?",
    r"(?:research|short|brief|invited|technical)?\s?(?:communication|report|letter)s?(?: to the editor)?",
    r"open(?: access| research.*)?|article info(?:rmation)?|special issue\b.*|focus|editorial|news",
    # identifiers, rights, numbers
    r"arxiv:.*|doi[:\s].*|https?://.*|www\..*|e?-?issn\b.*|isbn\b.*|vol(?:ume|\.) ?\d.*|page \d+.*",
    r"(?:©|\(c\)|c\s?[⃝○◯]|copyright)\s?.*|all rights reserved.*|\d+",
    # headings of the front matter
    r"(?:an? )?abstract\b.{0,3}|a\s?b\s?s\s?t\s?r\s?a\s?c\s?t|summary|introduction|references",
    r"(?:table of )?contents|list of (?:figures|tables)|acknowledge?ments?|conclusions?|discussion",
    r"(?:key ?words?|subject headings|unified astronomy thesaurus.*)\b.*",
    r"and|by|supervised by|course notes|(?:sample )?logo|sample",
    r"(?:this |an? )?(?:\w+ )?(?:thesis|dissertation)\b.*|submitted (?:in|to)\b.*",
    r"(?:the )?(?:university|department|faculty|institute) of\b.*|(?:sample )?university(?: logo)?",
    r"摘\s*要.*|关键词.*|引言|目\s*录|收稿日期.*|中图分类号.*|基金项目.*",
)
_FURNITURE = re.compile("|".join(f"(?:{p})" for p in _FURNITURE_PATTERNS), re.IGNORECASE | re.DOTALL)

_PLACES = (
    "universit|institut|departe?a?ment|dept\\b"
    "|observator|college|laborator|facult|academy|academia|school of"
    "|centre|center\\b|division of"
    "|ministry|agency|corporation|company\\b|gmbh|inc\\b|ltd\\b|hospital|foundation"
    "|fellow\\b|fellowship|street|avenue|road\\b|building|campus|p\\.? ?o\\.? box"
)
_REACH = "e-?mail|electronic address|present address|current address|correspond|@|https?:|www\\."
_HOUSES = (
    "nasa\\b|caltech|jpl\\b|cnrs|csic|inaf\\b|infn\\b|kek\\b|cern\\b|eso\\b|noirlab|stsci|fermilab"
    "|google|mozilla|adobe|microsoft"
)
_COUNTRIES = (
    "usa\\b|u\\.s\\.a|united kingdom|uk\\b|germany|france\\b|italy\\b|spain|netherlands|china\\b|japan|canada"
    "|australia|switzerland|sweden|denmark|chile\\b|brazil|russia|israel|india\\b|korea|m[eé]xico|poland|belgium|austria"
)
_AFFILIATION = re.compile(
    rf"\b(?:{_PLACES}|{_REACH}|{_HOUSES}|{_COUNTRIES})|@|大学|学院|研究所|研究院|天文台|实验室", re.IGNORECASE
)
_ADDRESS = re.compile(
    r"@|\be-?mail\b|\bdepartment of\b|\buniversit\w+\b.*,|\binstitut\w*\b.*,|,.*\buniversit"
    r"|\bp\.? ?o\.? box\b|^\d+ ?[A-Z].*,.*,",
    re.IGNORECASE,
)

_PARTICLE = (
    "van|von|der|den|de|del|della|di|da|do|dos|du|des|la|le|el|al|ter|ten|te|zu|zum|zur|af|av|bin|ibn|y|e"
)
_INITIAL = r"(?:[^\W\d_a-z]\.?|[^\W\d_a-z][^\W\d_]?\.)(?:[-\s]?[^\W\d_a-z]\.)*"
_WORD = r"(?:[^\W\d_a-zà-ÿ][\w'’.‘`-]*|(?:d|l|O|D|al|el)['’-]?[^\W\d_a-z][\w'’-]+)"
_NAME = re.compile(
    rf"^(?:{_INITIAL}|{_WORD})(?:[\s~-]+(?:{_INITIAL}|{_WORD}|(?:{_PARTICLE})(?=[\s'’])))*"
    r"(?:,?\s+(?:Jr|Sr)\.?|\s+I{2,3}|\s+IV)?$"
)
_CJK_NAME = re.compile(r"^[\u3400-\u9fff]{2,4}$|^[\u3400-\u9fff]+·[\u3400-\u9fff·]+$")
_CJK_SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金"
    "石廖贾夏韦傅方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章"
    "鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁尚符舒阮柯纪梅童凌毕单季裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳管柴蒙鲍华喻祁蒲房滕屈饶解"
    "牟艾尤阳时穆农司卓古吉缪简车项连芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂全佟应臧闵苟邬边卞姬师和仇栾隋商刁沙荣巫寇桑"
    "陳張劉楊黃趙吳孫馬羅鄭謝許韓馮鄧蕭蔣葉蘇呂盧鍾譚陸賈鄒閆雷龍賀顧龔萬錢嚴湯齊龐顏莊聶歐關蘭單華應"
)
_CJK_COMPOUND = (
    "欧阳",
    "司马",
    "上官",
    "诸葛",
    "夏侯",
    "皇甫",
    "尉迟",
    "公孙",
    "慕容",
    "令狐",
    "司徒",
    "端木",
)
_NOT_NAME_WORDS = frozenset(
    """
    a abstract accepted access acm an analysis appendix applications april archive are article astronomy
    astrophysics at august available by chapter city commons contents copyright cosmology country
    creative data date december department design document draft editor editorial editors egypt faculty
    february fellow figure finland for friday from galaxies galaxy greece hungary ieee in institute
    introduction iran is january journal july june keywords letter license logo management march may
    member method methods model models monday new norway november observation observations october of on
    online open our pakistan paper part physics portugal project proposal published received report
    repository results review reviewers sample saturday science section senior september software star
    stars student study submitted sunday survey system table technical that the theory these thesis this
    thursday title to tuesday turkey university using version volume we wednesday with
    """.split()
)
"""Words that are in no one's name but stand on every title page."""

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
    if re.search(r"[\u3400-\u9fff]", text):
        known = text[0] in _CJK_SURNAMES or text.startswith(_CJK_COMPOUND) or "·" in text
        return known and bool(_CJK_NAME.match(text.replace(" ", "")))
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
