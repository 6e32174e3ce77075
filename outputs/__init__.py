"""Groups, category sets and annotation sheets in the forms that people load.

In: groups, rejections, category sets, and answers of annotators. Out: JSON lines, tables, texts, pages and the files of
a release. It must not know Beam, dumps, or how groups and sets are made.
"""
