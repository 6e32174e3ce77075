"""Tests of downloads, against a server on this machine that does wrong on demand."""
