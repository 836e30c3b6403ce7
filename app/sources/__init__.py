"""Where papers come from on the network: catalogues, archives, publishers."""
