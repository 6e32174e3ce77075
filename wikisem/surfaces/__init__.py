"""Surface forms: from counted links and labels to the one string that an item is called in a language (τ).

In: an anchor dictionary, titles and labels as Arrow tables; or one dump file. Out: for each item its surface form with
its count, and a table that looks it up from memory-mapped arrays. It must not know which items will be asked for.
"""
