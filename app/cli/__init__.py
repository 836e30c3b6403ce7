"""The command line: one file a command, one JSON document on stdout, messages on stderr."""
