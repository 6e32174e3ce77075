"""What a Wikipedia is: the head of its dump, its titles, its pages as an XML parser sees them, and its language.

In: the XML and wikitext of a dump. Out: site information, normalised titles, pages, and the profile of a language. It
must not know how links are counted, nor anything of Wikidata.
"""
