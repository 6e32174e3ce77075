"""What people see on a terminal: progress, tables, closing words.

In: records, groups and scores. Out: text on stdout and stderr. It must not compute what it shows.
"""
