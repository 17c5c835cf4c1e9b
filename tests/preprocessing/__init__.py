"""Features within their query."""
