"""How many threads a model should use: one a physical core; two on one core only get in each other's way."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path


def physical_cores() -> int:
    """Return the number of physical cores this process may use; at least 1."""
    logical = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(logical, _cores_of(sys.platform) or logical))


def cores_in(cpuinfo: str) -> int:
    """Return the number of distinct cores in the text of `/proc/cpuinfo`; 0 when it does not say."""
    pairs = re.findall(
        r"^physical id\s*:\s*(\d+)$.*?^core id\s*:\s*(\d+)$", cpuinfo, re.MULTILINE | re.DOTALL
    )
    return len(set(pairs))


def _cores_of(platform: str) -> int:
    try:
        if platform == "linux":
            return cores_in(Path("/proc/cpuinfo").read_text())
        if platform == "darwin":
            command = ["/usr/sbin/sysctl", "-n", "hw.physicalcpu"]
            return int(subprocess.run(command, capture_output=True, check=True, timeout=5).stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return 0
    return (os.cpu_count() or 2) // 2
