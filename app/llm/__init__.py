"""Chat and embedding models, local and remote, behind two small protocols."""
