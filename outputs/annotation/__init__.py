"""Test cases for people to answer: as a page, a spreadsheet or Label Studio tasks; and their answers.

In: test groups of a data set, and filled sheets. Out: an annotation set with its key, the sheets of its annotators, and
their answers. It must not know scores or models.
"""
