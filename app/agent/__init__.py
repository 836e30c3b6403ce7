"""The agent: its loop, the execution of calls, policy, context and tools."""
