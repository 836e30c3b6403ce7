"""Chat with a GGUF model through llama.cpp, which runs in a worker process."""
