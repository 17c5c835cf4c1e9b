"""The engine: blocks, packed sorts, sums and threads."""
