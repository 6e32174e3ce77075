"""Recipes: everything that decides which groups come out. The TOML files here are the recipes that ship with wikisem.

In: TOML. Out: a frozen ``Recipe`` that was checked, or an error that names the key. It must not know how its options
are carried out.
"""
