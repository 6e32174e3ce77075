"""A small world that ships with wikisem: facts as tables, from which real-looking dumps are written.

``items.tsv`` and ``classes.tsv`` hold facts of Wikidata (CC0): QIDs, labels, page titles, P31 and P279, as dumps up to
2021 gave them; Japanese names of some, rivers, months, weekdays and U.S. states were added by hand in 2026-11.
``sitelinks`` is the size of an item's whole map there, and "-" where it is not known: such an item has the pages of the
sample alone. A name reads ``surface; other form = Page title``; without a title the page is called like the surface,
first letter upper case; "-" means no page in that language. A class row holds P279 alone, with all chains up to Q35120;
a few P31 targets have no row, as in any slice of a dump. ``text/*.toml`` holds the sentences, written for wikisem.
"""
