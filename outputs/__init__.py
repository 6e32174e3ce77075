"""Groups in the forms that people load, and the manifest of a run."""
