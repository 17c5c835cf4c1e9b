"""What the caller gave: rows, options and containers checked; the only place that words an error."""
