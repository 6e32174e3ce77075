"""Facts that no dump lists, as tables with source and date: namespaces, interwiki prefixes, link trails, scripts.

In: nothing. Out: look-ups by language or by name. It must not know what they are used for.
"""
