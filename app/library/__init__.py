"""The database: papers, files, passages, notes, the index and the journal."""
