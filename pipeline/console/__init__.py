"""What people see on a terminal: progress, tables, closing words."""
