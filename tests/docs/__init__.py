"""Every code block of the documentation is run, parsed by what reads it, or set aside with a reason."""
