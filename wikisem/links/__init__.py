"""The columnar link scanner: page table, dead spans, brackets, contents, columns; one thought a module."""
