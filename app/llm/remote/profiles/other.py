"""Any other service: the plain protocol, and whatever its refusals teach."""

from __future__ import annotations

from app.llm.remote.profiles.profile import Profile

PROFILE = Profile(name="other", label="Another compatible service")
