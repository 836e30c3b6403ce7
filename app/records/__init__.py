"""The vocabulary: plain values and pure decisions, no I/O."""
