"""SPARQL queries and the client that asks them."""
