"""What is worth remembering beyond a conversation, what is known already, and what fits a question. Pure."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from app.records.text import fold

SAME = 0.7
"""Share of common character groups from which two memories say the same."""
MAX_CHARS = 600
_LEAST_WEIGHT = 15
_LEAST_WORDS = 3
_CODE_SHARE = 0.12

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_RUN = re.compile(f"{_CJK.pattern}+")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NOT = re.compile(
    r"\b(?:not|no|never|without|cannot|avoid|dislikes?)\b|n['’]t\b|不|没|無|无|别|勿", re.IGNORECASE
)
_DATE = re.compile(r"\b(?:19|20)\d{2}\b|\d{4}\s*年")

_EMPTY_WORDS = frozenset(
    """a an and are as at be been by can do does for from has have he her his i in is it its like likes me my
    of on or our please remember she should so some something stuff that the their them there they thing
    things this those to us user users very was we were what which will with you your always good great
    important interesting useful helpful nice really very say says said tell told ask asks asked want wants
    wanted need needs needed know knows think thinks help helps everything anything nothing""".split()
)
_VAGUE = re.compile(
    r"^(?:the user|user|they|it|this|that|something|everything|things?)\s+(?:is|are|was|were|likes?|wants?|"
    r"needs?|said|asked)\s+(?:it|this|that|something|help|a question|questions|things?|stuff|good|great|"
    r"important|interesting|useful)\W*$"
    r"|(?:and so on|etc\.?|something like that)\W*$"
    r"|^(?:用户|他|她|这|那)?(?:很|非常)?(?:重要|有用|有趣|不错)[啊呢吧的了]?\W*$"
    r"|^用户(?:喜欢|想要|需要)(?:这个|那个|它|帮助|一些东西)\W*$",
    re.IGNORECASE,
)
_TRANSIENT = re.compile(
    r"\b(?:right now|just now|at the moment|this (?:session|conversation|chat|turn|morning|afternoon)|"
    r"today|tonight|tomorrow|yesterday|a moment ago|in progress|is (?:running|loading|downloading)|"
    r"next step|step \d+|tool call|for now|temporar(?:y|ily))\b"
    r"|今天|今晚|明天|昨天|刚才|刚刚|此刻|眼下|正在(?:运行|下载|加载|解析)|(?:本次|这次|当前)(?:会话|对话)|暂时|下一步",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"```|^\s*(?:def|class|import|from|return|for|if|while)\b.*[:(]|^\s*(?:\$|>>>|#!)\s*\S|Traceback \(most"
    r"|</?[a-z]+[^>]*>|\b(?:SELECT|INSERT|UPDATE)\b .*\b(?:FROM|INTO|SET)\b|=>|[;{}]\s*$"
    r"|^\s*(?:sudo|pip|git|cd|ls|curl|python3?)\s+\S",
    re.MULTILINE,
)
_MATH = re.compile(r"\$[^$\n]{1,200}\$")
_SECRET = re.compile(
    r"\b(?:sk|pk|ghp|gho|xox[abp])[-_][A-Za-z0-9_-]{12,}|\b[A-Za-z0-9+/_-]{36,}\b"
    r"|(?:api[ _-]?key|token|password|passwd|secret|密码|密钥|口令)\s*(?:is|are|[:=：]|是|为)",
    re.IGNORECASE,
)
_GRANT = re.compile(
    r"\b(?:without (?:asking|permission|confirmation)|never ask|do(?:n['’]t| not) ask|auto[- ]?approve|"
    r"run_bash|file_write|file_edit|subagent|"
    r"(?:ignore|disregard|override)\b.{0,40}\b(?:instructions?|rules?|permissions?)|always allow)\b"
    r"|(?:不用|无需|不要|别)(?:再)?(?:询问|确认|请求许可)|忽略.{0,20}(?:指令|规则|权限)",
    re.IGNORECASE,
)


def refusal(content: str) -> str | None:
    """Return why this is not to be remembered, with what to do instead; None where it is worth keeping."""
    text = " ".join(content.split())
    checks = (
        (bool(_SECRET.search(text)), "It looks like a secret. Secrets are kept in the settings, never here."),
        (bool(_GRANT.search(text)), "What may be done without asking is set by the person, in the settings."),
        (_is_code(content), "It is code or program output. Say in words what is worth knowing about it."),
        (_weight(text) < _LEAST_WEIGHT or _words(text) < _LEAST_WORDS, _TOO_SHORT),
        (len(text) > MAX_CHARS, f"It has {len(text):,} characters; keep one fact, in at most {MAX_CHARS}."),
        (_is_vague(text), "It is vague. Name who or what, and what exactly holds."),
        (
            _is_transient(text),
            "It will not hold beyond this conversation. Keep what lasts, or give its date.",
        ),
    )
    return next((reason for applies, reason in checks if applies), None)


_TOO_SHORT = "It is too short to be understood later. Write a whole sentence that stands alone."


def similarity(a: str, b: str) -> float:
    """Return how much two texts have in common, 0 to 1: shared groups of characters over all of them.

    Groups are pairs in scripts without spaces, and runs of three inside words elsewhere.
    """
    first, second = _groups(a), _groups(b)
    return len(first & second) / len(first | second) if first and second else 0.0


def same(a: str, b: str) -> bool:
    """Whether the two say the same: much in common, with the same numbers and no different negation.

    “H0 = 70” and “H0 = 73” are two things to know, however alike they look.
    """
    if similarity(a, b) < SAME:
        return False
    plain_a, plain_b = fold(a), fold(b)
    return Counter(_NUMBER.findall(plain_a)) == Counter(_NUMBER.findall(plain_b)) and (
        bool(_NOT.search(plain_a)) == bool(_NOT.search(plain_b))
    )


def duplicate(content: str, known: Iterable[str]) -> int | None:
    """Return the place of the first known text that says the same, or None."""
    return next((at for at, other in enumerate(known) if same(content, other)), None)


def relevant(question: str, texts: Sequence[str], limit: int) -> list[int]:
    """Return the places of the texts that have telling words in common with the question, best first.

    Groups of characters count the more the rarer they are among the texts.
    """
    wanted = _terms(question)
    if not wanted or limit < 1:
        return []
    sets = [_terms(text) for text in texts]
    spread = Counter(term for terms in sets for term in terms)
    scored = []
    for at, terms in enumerate(sets):
        weight = sum(math.log(1 + len(texts) / spread[term]) for term in wanted & terms)
        if weight > 0:
            scored.append((weight / math.sqrt(len(terms)), at))
    return [at for _, at in sorted(scored, key=lambda item: (-item[0], -item[1]))[:limit]]


@lru_cache(maxsize=4096)
def _groups(text: str) -> frozenset[str]:
    plain = fold(text)
    words = (f" {word} " for word in _WORD.findall(_RUN.sub(" ", plain)))
    threes = {word[i : i + 3] for word in words for i in range(len(word) - 2)}
    return frozenset(threes | _pairs(plain))


@lru_cache(maxsize=4096)
def _terms(text: str) -> frozenset[str]:
    """Words without their endings, and pairs of CJK characters."""
    plain = fold(text)
    words = (word for word in _WORD.findall(_RUN.sub(" ", plain)) if word not in _EMPTY_WORDS)
    telling = {_stem(word) for word in words if len(word) > 1 or word.isdigit()}
    return frozenset(telling | _pairs(plain))


def _pairs(text: str) -> set[str]:
    return {run[i : i + 2] for run in _RUN.findall(text) for i in range(max(1, len(run) - 1))}


def _stem(word: str) -> str:
    for ending in ("ies", "es", "s", "ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def _weight(text: str) -> int:
    """Length in letters, where a CJK character counts for three."""
    return sum(3 if _CJK.match(c) else 1 for c in text if unicodedata.category(c)[0] in "LN")


def _words(text: str) -> int:
    return len(_WORD.findall(_CJK.sub(" ", text))) + len(_CJK.findall(text)) // 2


def _is_vague(text: str) -> bool:
    return bool(_VAGUE.search(text)) or len(_terms(text)) < 2


def _is_transient(text: str) -> bool:
    return bool(_TRANSIENT.search(text)) and not _DATE.search(text)


def _is_code(content: str) -> bool:
    prose = _MATH.sub(" ", content)
    if _CODE.search(prose):
        return True
    signs = sum(prose.count(sign) for sign in "{}[]<>=;|\\`_&*")
    return signs > _CODE_SHARE * max(1, len(prose))
