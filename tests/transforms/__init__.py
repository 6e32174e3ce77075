"""Tests of the transforms package."""
