"""Small chat templates that speak as each model family does. Ours; the real ones are longer, not stricter."""

from __future__ import annotations

_OPENING = "{% for m in messages %}<|im_start|>{{ m.role if m.role != 'tool' else 'user' }}\n"
_END = "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
_TOOLS = (
    "{% if tools %}<|im_start|>system\n<tools>{% for t in tools %}{{ t | tojson }}\n{% endfor %}</tools>"
    "<|im_end|>\n{% endif %}"
)
_CALLS = (
    "{% for c in m.tool_calls or [] %}\n<tool_call>\n"
    '{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}'
    "\n</tool_call>{% endfor %}"
)
_ANSWER = "<tool_response>\n{{ m.content }}\n</tool_response>"
_RESULT = "{% if m.role == 'tool' %}" + _ANSWER + "{% else %}{{ m.content }}{% endif %}"

PLAIN = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}" + _END

HERMES = _TOOLS + _OPENING + _RESULT + _CALLS + "<|im_end|>\n{% endfor %}" + _END

QWEN3 = (
    _TOOLS
    + _OPENING
    + "{% if m.reasoning_content %}<think>\n{{ m.reasoning_content }}\n</think>\n\n{% endif %}"
    + _RESULT
    + _CALLS
    + "<|im_end|>\n{% endfor %}"
    + _END
    + "{% if add_generation_prompt and enable_thinking is defined and not enable_thinking %}"
    + "<think>\n\n</think>\n\n{% endif %}"
)

SMOLLM3 = HERMES.replace("{% if tools %}", "{% if xml_tools %}").replace("in tools %}", "in xml_tools %}")
SMOLLM3_WITHOUT = (
    "<|im_start|>system\nReasoning Mode: {{ '/think' if enable_thinking is not defined else '/no_think' }}"
    "<|im_end|>\n" + PLAIN
)

LLAMA3 = (
    "{{ bos_token }}{% for m in messages %}"
    "{% if m.tool_calls %}"
    "{% if m.tool_calls | length != 1 %}{{ raise_exception('one call only') }}{% endif %}"
    "{% set f = m.tool_calls[0].function %}<|start_header_id|>assistant<|end_header_id|>\n\n"
    '{"name": "{{ f.name }}", "parameters": {{ f.arguments | tojson }}}<|eot_id|>'
    "{% else %}<|start_header_id|>{{ 'ipython' if m.role == 'tool' else m.role }}<|end_header_id|>\n\n"
    "{% if loop.first and tools %}{{ tools | tojson(indent=4) }}\n{% endif %}"
    "{{ m.content }}<|eot_id|>{% endif %}"
    "{% endfor %}{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)

_MISTRAL_IDS = (
    "{% for c in m.tool_calls %}{% if c.id | length != 9 %}{{ raise_exception('ids have 9 characters') }}"
    "{% endif %}{% endfor %}"
)
MISTRAL = (
    "{{ bos_token }}{% if tools %}[AVAILABLE_TOOLS]{{ tools | tojson }}[/AVAILABLE_TOOLS]{% endif %}"
    "{% for m in messages %}{% if m.role == 'system' %}[SYSTEM_PROMPT]{{ m.content }}[/SYSTEM_PROMPT]"
    "{% elif m.role == 'user' %}[INST]{{ m.content }}[/INST]"
    "{% elif m.role == 'tool' %}[TOOL_RESULTS]{{ m.content }}[/TOOL_RESULTS]"
    "{% elif m.tool_calls %}" + _MISTRAL_IDS + "{{ m.content }}{% for c in m.tool_calls %}"
    "[TOOL_CALLS]{{ c.function.name }}[ARGS]{{ c.function.arguments | tojson }}{% endfor %}{{ eos_token }}"
    "{% else %}{{ m.content }}{{ eos_token }}{% endif %}{% endfor %}"
)
MISTRAL_LIST = MISTRAL.replace(
    "{% for c in m.tool_calls %}[TOOL_CALLS]{{ c.function.name }}[ARGS]{{ c.function.arguments | tojson }}"
    "{% endfor %}",
    "[TOOL_CALLS][{% for c in m.tool_calls %}{{ c.function | tojson }}{{ ', ' if not loop.last }}"
    "{% endfor %}]",
)

GEMMA = (
    "{{ bos_token }}{% for m in messages %}"
    "{% if m.role == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
    "{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('turn by turn') }}{% endif %}"
    "<start_of_turn>{{ 'model' if m.role == 'assistant' else m.role }}\n{{ m.content }}<end_of_turn>\n"
    "{% endfor %}{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
)

GEMMA4 = (
    '{% macro value(v) %}{% if v is string %}<|"|>{{ v }}<|"|>{% elif v is mapping %}'
    "{ {%- for k, i in v | dictsort %}{{ k }}:{{ value(i) }}{{ ',' if not loop.last }}{% endfor -%} }"
    "{% else %}{{ v | tojson }}{% endif %}{% endmacro %}"
    "{% for t in tools or [] %}<|tool>declaration:{{ t.function.name }}<tool|>{% endfor %}"
    "{% for m in messages %}<|turn>{{ m.role }}\n{{ m.content }}"
    "{% for c in m.tool_calls or [] %}<|tool_call>call:{{ c.function.name }}{{ value(c.function.arguments) }}"
    "<tool_call|>{% endfor %}<turn|>\n{% endfor %}{% if add_generation_prompt %}<|turn>model\n{% endif %}"
)

XML = (
    "{% if tools %}<|im_start|>system\n"
    "{% for t in tools %}<name>{{ t.function.name }}</name>{% endfor %}<|im_end|>\n{% endif %}"
    + _OPENING
    + _RESULT
    + "{% for c in m.tool_calls or [] %}\n<tool_call>\n<function={{ c.function.name }}>\n"
    "{% for k, v in c.function.arguments | items %}<parameter={{ k }}>\n"
    "{{ v if v is string else v | tojson }}\n</parameter>\n{% endfor %}"
    "</function>\n</tool_call>{% endfor %}<|im_end|>\n{% endfor %}" + _END
)

OPENS_THINKING = PLAIN + "{% if add_generation_prompt %}<think>\n{% endif %}{# </think> #}"
RAISES = "{{ raise_exception('never') }}"
BROKEN = "{% for m in messages %}{{ m.content "

BY_FAMILY = {
    "hermes": HERMES,
    "qwen3": QWEN3,
    "smollm3": SMOLLM3,
    "llama3": LLAMA3,
    "mistral": MISTRAL,
    "mistral-list": MISTRAL_LIST,
    "gemma": GEMMA,
    "gemma4": GEMMA4,
    "qwen3-coder": XML,
    "generic": PLAIN,
}
NATIVE = frozenset(BY_FAMILY) - {"gemma", "generic"}
