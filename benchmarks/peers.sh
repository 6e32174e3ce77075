#!/bin/sh
# Installs the tools that benchmarks/entities.py compares with, each in a place of its own under build/peers.
# One that cannot be installed says so and is left out of the table.
set -u
mkdir -p build/peers && cd build/peers || exit 1
npm install --prefix . wikibase-dump-filter || echo "wikibase-dump-filter could not be installed"
for name in qwikidata kgtk; do
    { python3 -m venv "$name" && "$name/bin/pip" install --quiet "$name"; } || echo "$name could not be installed"
done
