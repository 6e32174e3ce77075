"""The choices of the method: the members of a cluster, its outliers, and which groups are kept.

In: the class graph, outlier sets and the surface forms of one or several languages. Out: groups, and rejections with
the reason. It must not know where any of this is stored, nor that many processes share the work.
"""
