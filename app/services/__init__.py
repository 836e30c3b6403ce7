"""The operations a person or a tool asks for, one module each; no Qt and no agent."""
