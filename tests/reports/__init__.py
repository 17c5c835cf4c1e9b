"""Reports over queries, and what decides between them."""
