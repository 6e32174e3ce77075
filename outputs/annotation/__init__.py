"""Test cases for people to answer: as a page, a spreadsheet or Label Studio tasks; and their answers.

What comes in are test groups as a data set writes them; what goes out are an annotation set with its key, the sheets
of its annotators, and the answers that come back. Scores are computed elsewhere, and nothing here knows a model.
"""
