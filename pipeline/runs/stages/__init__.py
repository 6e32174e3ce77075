"""The five stages of the method, each as a value in a module of its own.

In: dumps, options and what earlier stages left in OUT. Out: a ``Stage``. It must not know whether anything is finished,
nor run anything itself.
"""
