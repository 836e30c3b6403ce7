"""How local models are told of tools, and how their calls are read: one plan a request. Pure.

`plan.plan()` decides; `families/` holds one syntax a file. Nothing here loads a model or knows llama.cpp.
"""
