"""A download that is killed again and again, by real processes, ends with the whole file."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.fakes.file_server import FileServer
from tests.fakes.gguf_files import gguf_file

KILLS = 4
PATH = "/acme/small/resolve/main/Small.gguf"


@pytest.mark.slow
def test_that_a_download_survives_kills_at_any_time(tmp_path: Path) -> None:
    data = gguf_file(name="Small", shapes=((1024, 4096),) * 6)
    chance = random.Random(20)
    home = tmp_path / "home"
    with FileServer({PATH: data}) as server:
        environment = {**os.environ, "ASTRORESEARCH_LLM__MODEL_HOSTS": json.dumps([server.url])}

        def pull() -> subprocess.Popen[bytes]:
            command = [sys.executable, "-m", "app", "--home", str(home), "--json", "models", "pull"]
            return subprocess.Popen(
                [*command, "acme/small/Small.gguf"],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )

        for _ in range(KILLS):
            process = pull()
            seen = len(server.asked)
            deadline = time.monotonic() + 60
            while len(server.asked) == seen and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.005)
            time.sleep(chance.uniform(0, 0.05))
            process.kill()
            process.communicate(timeout=60)
        last = pull()
        out, err = last.communicate(timeout=120)
    assert last.returncode == 0, (out, err)
    (model,) = json.loads(out)["models"]
    assert Path(model["path"]).read_bytes() == data
    kept = [path.name for path in (home / "models").iterdir() if not path.name.startswith(".")]
    assert kept == ["Small.gguf"]
