"""How a bare machine becomes one that runs AstroResearch. Standard library only."""
