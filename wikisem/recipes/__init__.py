"""Recipes: everything that decides which groups come out. Those that ship with wikisem are the TOML files beside this one.

In: TOML. Out: a frozen ``Recipe`` that was checked, or an error that names the key. It must not know how its options
are carried out.
"""
