"""The build: its stages in order, which of them need to run again, and the manifest of what was made."""
