"""Values of other libraries, articles and papers, and the names that they have there."""
