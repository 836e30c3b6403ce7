"""Tools that work on files of the sandbox and run programs."""
