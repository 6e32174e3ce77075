"""A report of scores to hand on: one HTML file with tables and drawn intervals, or Markdown.

In: titles, tables of strings, and numbers to draw. Out: the text of the file. It must not know models, or where scores
come from.
"""
