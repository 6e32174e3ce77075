"""Measures of test groups that need no model: by cluster, by outlier, and over a whole data set.

In: groups, and the class graph if there is one. Out: measures, findings worst first, and summaries by language and
outlier class. It must not know where groups are stored, nor how measures are printed.
"""
