"""This package beside other libraries on generated data: the values of one must be those of the other."""
