"""Chat models over the network. Their libraries are imported when first asked: that takes a second."""
