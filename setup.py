"""For Beam's --setup_file, which wants a setup.py to stage on remote workers; all metadata is in pyproject.toml."""

from setuptools import setup

setup()
