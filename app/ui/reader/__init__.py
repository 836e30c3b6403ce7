"""The reader: a paper's pages, what is marked on them, and the notes beside them."""
