"""O1, O2 and O3 of many classes at once (Blair et al. 2016, appendix A), and the order in which items are drawn.

In: the pruned class graph, 64 classes at a time. Out: for each class its outlier sets as bits over distinct lists of
classes, the hash ring that orders items, and the class via which an outlier came. It must not know surface forms or
languages.
"""
