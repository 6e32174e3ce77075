"""Facts that no dump lists: local namespace names, interwiki prefixes, link trails; each with source and date.

In: nothing. Out: look-ups by language or by name. It must not know what they are used for.
"""
