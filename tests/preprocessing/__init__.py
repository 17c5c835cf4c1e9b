"""Features scaled within their query."""
