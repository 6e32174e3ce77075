"""The category recipes that ship with wikisem, one TOML file each."""
