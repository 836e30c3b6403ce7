"""Who may do what: rules, the chain that decides, hooks, paths, shell commands, and taint."""
