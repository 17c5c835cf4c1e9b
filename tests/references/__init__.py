"""Values and metric names of other libraries, articles and papers."""
