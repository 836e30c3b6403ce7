"""AstroResearch: a desktop research assistant for astronomers."""

__version__ = "0.1.0"
