"""Plain files for the agent: reading in pages, editing without collateral damage, searching folders."""
