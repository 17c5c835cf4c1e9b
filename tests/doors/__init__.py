"""The same data through all doors: functions, readers, reports, scorers, searches and the command line."""
