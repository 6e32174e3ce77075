"""Why the group of a class looks as it does: gathered from OUT once, for text and figure alike.

In: an output folder and a class. Out: an explanation and a picture. It must not run any stage.
"""
