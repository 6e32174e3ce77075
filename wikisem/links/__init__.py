"""The link scanner: from a chunk of Wikipedia XML to its counted links, by columns rather than page by page.

In: chunks of whole pages as bytes, and the site information of the wiki. Out: Arrow tables of mentions and redirects,
counts of pages, and unreadable records. It must not know files, Beam, or what the mentions are for.
"""
