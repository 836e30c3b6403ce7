"""Gives grammars and texts to llama.cpp itself, in a process that may die of them.

Standard input: a JSON list of [grammar, texts]. For each grammar that llama.cpp takes every text is accepted
token by token. Standard output: a JSON list of whether each was taken; the exit code is what a test asks for.
"""

from __future__ import annotations

import json
import sys

import llama_cpp

from app.llm import weights


def main() -> None:
    llama = llama_cpp.Llama(str(weights.chat_gguf()), vocab_only=True, verbose=False)
    vocabulary = llama_cpp.llama_model_get_vocab(llama.model)
    taken = []
    for grammar, texts in json.load(sys.stdin):
        sampler = llama_cpp.llama_sampler_init_grammar(vocabulary, grammar.encode(), b"root")
        taken.append(bool(sampler))
        for text in texts if sampler else ():
            for token in llama.tokenize(text.encode(), add_bos=False, special=True):
                llama_cpp.llama_sampler_accept(sampler, token)
            llama_cpp.llama_sampler_accept(sampler, llama.token_eos())  # aborts where the text is not whole
            llama_cpp.llama_sampler_reset(sampler)
        if sampler:
            llama_cpp.llama_sampler_free(sampler)
    print(json.dumps(taken))


if __name__ == "__main__":
    main()
