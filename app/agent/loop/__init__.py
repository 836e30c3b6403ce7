"""The turn: what the model is sent, what it replies, and what comes of it."""
