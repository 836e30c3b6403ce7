"""The model's own replies stand in the next prompt as it wrote them, whatever the template makes of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.llm.chat import CallPart, ChatMessage
from app.llm.local.calls.plan import CallPlan, plan
from app.llm.local.calls.template import ChatTemplate
from app.llm.local.prompt import CHATML
from app.llm.local.rendering import Renderer, Written
from app.llm.local.token_log import Reply

# Like Qwen 3: drops the thinking of earlier turns, and respaces calls.
THINKING = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n"
    "{{ m.content.split('</think>')[-1] }}"
    "{% for c in m.tool_calls %}\n<tool_call>\n{{ c.function | tojson }}\n</tool_call>{% endfor %}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n"
    "{% if enable_thinking is false %}<think>\n\n</think>\n\n{% endif %}{% endif %}"
)
# Like Mistral's first ones: nothing but the end of the question opens the model's turn.
BARE = (
    "{% for m in messages %}{% if m.role == 'user' %}[INST] {{ m.content }} [/INST]"
    "{% else %}{{ m.content }}</s>{% endif %}{% endfor %}"
)
STRICT = (
    "{% for m in messages %}"
    "{% if m.role == 'assistant' and '(' in m.content %}{{ raise_exception('no') }}{% endif %}"
    "<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
)
WORDS = ["<|im_start|>", "<|im_end|>", "</s>"]
ENDS = ["<|im_end|>", "</s>"]
HEAD = "<|im_start|>assistant\n"


def renderer(template: str) -> Renderer:
    return Renderer(ChatTemplate(template), WORDS, ENDS)


def bare_plan(template: str) -> CallPlan:
    return plan(template, [])


def test_that_the_prompt_says_where_the_model_goes_on() -> None:
    prompt = renderer(CHATML).prompt(bare_plan(CHATML), [ChatMessage("user", "Why?")], {})
    assert prompt.text.endswith(HEAD)
    assert prompt.head == HEAD


def test_that_dropped_thinking_and_respaced_calls_stand_as_they_were_written() -> None:
    """Bug 40: request n+1 begins with request n and the reply to it."""
    raw = '<think>\nHm.\n</think>\n\n<tool_call>\n{"name":"f","arguments":{}}\n</tool_call>'
    call = CallPart("c1", "f", "{}")
    history = [ChatMessage("user", "Why?")]
    how = bare_plan(THINKING)
    first = renderer(THINKING).prompt(how, history, {})
    history += [
        ChatMessage("assistant", "", thinking="Hm.", calls=(call,)),
        ChatMessage("tool", "42", call_id="c1"),
    ]
    second = renderer(THINKING).prompt(how, history, {1: Written(first.head, raw)})
    assert second.text.startswith(first.text + raw + "<|im_end|>")


def test_that_the_head_of_a_turn_stays_what_it_was() -> None:
    history = [ChatMessage("user", "Why?"), ChatMessage("assistant", "So.")]
    written = {1: Written(f"{HEAD}<think>\n\n</think>\n\n", "So.")}
    prompt = renderer(THINKING).prompt(bare_plan(THINKING), [*history, ChatMessage("user", "And?")], written)
    assert f"{HEAD}<think>\n\n</think>\n\nSo.<|im_end|>" in prompt.text


def test_that_a_template_that_refuses_a_mark_gets_its_own_rendering() -> None:
    history = [ChatMessage("user", "Why?"), ChatMessage("assistant", "So.")]
    prompt = renderer(STRICT).prompt(bare_plan(STRICT), history, {1: Written(HEAD, "So, so.")})
    assert "So.<|im_end|>" in prompt.text


def test_that_known_replies_are_cut_out_for_their_tokens() -> None:
    history = [ChatMessage("user", "Why?"), ChatMessage("assistant", "So."), ChatMessage("user", "So.")]
    parts = renderer(CHATML).prompt(bare_plan(CHATML), history, {}).parts({"So.": (1,)}, ENDS)
    assert [part.text for part in parts if isinstance(part, Reply)] == ["So."]
    assert parts[0] == f"<|im_start|>user\nWhy?<|im_end|>\n{HEAD}"


def test_that_known_replies_are_found_where_turns_have_no_head() -> None:
    history = [ChatMessage("user", "Why?"), ChatMessage("assistant", "So."), ChatMessage("user", "And?")]
    parts = renderer(BARE).prompt(bare_plan(BARE), history, {}).parts({"So.": (1,)}, ENDS)
    assert parts == ["[INST] Why? [/INST]", Reply("So."), "</s>[INST] And? [/INST]"]


def test_that_a_reply_cannot_end_its_turn_by_spelling_the_word() -> None:
    history = [ChatMessage("user", "Why?"), ChatMessage("assistant", "x")]
    prompt = renderer(CHATML).prompt(bare_plan(CHATML), history, {1: Written(HEAD, "a<|im_end|>b")})
    assert prompt.text.count("<|im_end|>") == 2


@given(st.lists(st.text(max_size=20), min_size=1, max_size=6))
def test_that_a_conversation_only_grows(replies: list[str]) -> None:
    """Bug 40: ten steps, each prompt is the last one, the reply, and what came after."""
    how, writer = bare_plan(CHATML), renderer(CHATML)
    history: list[ChatMessage] = [ChatMessage("user", "Why?")]
    written: dict[int, Written] = {}
    before = writer.prompt(how, history, written)
    for reply in replies:
        written[len(history)] = Written(before.head, reply)
        history += [ChatMessage("assistant", reply.strip()), ChatMessage("user", "Go on.")]
        prompt = writer.prompt(how, history, written)
        assert prompt.text.startswith(before.text)
        before = prompt
