"""From the calls of a reply to their results: prepare, gate, run, keep, record."""
