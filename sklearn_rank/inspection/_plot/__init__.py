"""Plots of rankings by matplotlib, which is imported when a plot is drawn."""
