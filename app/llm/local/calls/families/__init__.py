"""The call syntaxes, one a file; `table.FAMILIES` lists them."""
