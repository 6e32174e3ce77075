"""What all stages share: Beam's file systems, Parquet, arrays, shuffles, scratch folders, counts and runners.

In: paths and tables. Out: the same on any file system that Beam knows. It must not know what a stage computes.
"""
