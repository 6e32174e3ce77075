"""Recipes that ship with wikisem, one TOML file each."""
