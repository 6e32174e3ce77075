"""The SPARQL that wikisem speaks: the queries, the words of Wikidata's RDF, and how an answer is read.

In: ids and patterns, each checked before it becomes part of a query. Out: the text of queries, and the rows of answers.
It may not know which endpoint is asked.
"""
