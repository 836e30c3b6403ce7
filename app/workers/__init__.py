"""Processes that hold native code: a crash, a hang or a memory blow-up there costs one request."""
