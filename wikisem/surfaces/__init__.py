"""Surface forms: from counted links and labels to the one string that stands for an item in a language (τ).

In: an anchor dictionary, titles and labels as Arrow tables. Out: for each item its surface form with the count behind
it, and a table that looks it up from memory-mapped arrays. It may not know which items will be asked for.
"""
