"""Every library's metrics under their own names: one table, by which names are read, explained and listed."""
