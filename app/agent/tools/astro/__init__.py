"""Tools of the field: search, metadata, download, parse, read, ask, objects, notes."""
