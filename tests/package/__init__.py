"""The package as a whole: its map, its documents, its types, its warnings."""
