from __future__ import annotations

from app.llm.chat import CallDelta, CallPart, ChatDelta, ChatMessage
from app.llm.local.echoes import Echoes, Heard
from app.llm.local.rendering import Written


def heard(*pieces: ChatDelta | CallDelta, raw: str, head: str = "H") -> Heard:
    found = Heard(head, raw=[raw])
    for piece in pieces:
        found.take(piece)
    return found


def test_that_a_reply_is_known_when_it_comes_back_with_other_spaces() -> None:
    echoes = Echoes()
    call = [CallDelta(0, name="f"), CallDelta(0, arguments='{"a"'), CallDelta(0, arguments=":1}")]
    echoes.keep("s", heard(ChatDelta("Hm."), *call, raw="raw"))
    message = ChatMessage("assistant", "Hm.\n", calls=(CallPart("x", "f", '{"a": 1}'),))
    assert echoes.of("s", [ChatMessage("user", "?"), message]) == {1: Written("H", "raw")}


def test_that_another_conversation_or_reply_is_not_known() -> None:
    echoes = Echoes()
    echoes.keep("s", heard(ChatDelta("Yes."), raw="raw"))
    assert echoes.of("t", [ChatMessage("assistant", "Yes.")]) == {}
    assert echoes.of("s", [ChatMessage("assistant", "No."), ChatMessage("user", "Yes.")]) == {}


def test_that_nothing_is_kept_of_a_reply_that_never_began() -> None:
    echoes = Echoes()
    echoes.keep("s", Heard())
    assert echoes.of("s", [ChatMessage("assistant", "")]) == {}
