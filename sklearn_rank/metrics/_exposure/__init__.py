"""The exposure that rankings give to the owners of items, or to items with an attribute."""
