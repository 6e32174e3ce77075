"""Fetches dumps: finds the newest complete one, downloads its files, checks their sums.

In: languages, and the address of dumps.wikimedia.org or a mirror. Out: files in one folder, each whole, and
``downloads.json``, which says where they came from. It must not know how dumps are read.
"""
