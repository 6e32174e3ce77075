"""Category sets for Topk, OddOneOut and analogies: which items make a category, and under which words of a language.

In: a category recipe and a source of items. Out: categories, word pairs and what was left out, in every language asked
for. It must not know whether the items come from a query service or from the entities of a build.
"""
