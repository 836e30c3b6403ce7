"""Chat and embedding models, local by default; the models themselves run in worker processes."""
