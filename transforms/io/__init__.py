"""What all stages share: shuffles, scratch folders, counts and runners.

In: paths and tables. Out: the same in any place that ``wikisem.files`` opens. It must not know what a stage computes.
"""
