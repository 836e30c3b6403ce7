"""The front of a paper: what its first pages say of title, authors, year and identifiers. Pure."""
