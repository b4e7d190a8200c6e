#!/bin/sh
# Writes the manual pages to FOLDER/man1 to FOLDER/man8: pages.sh FOLDER. Converts docs/PROTOCOL.md to the protocol's page.
set -eu

here=$(dirname "$0")
folder=${1:?a folder for the pages}

for page in "$here"/*.[1-8]; do
    install -D -m 644 "$page" "$folder/man${page##*.}/$(basename "$page")"
done
protocol=$folder/man7/memwarnd-protocol.7
mkdir -p "$folder/man7"
awk -v name=memwarnd-protocol -v section=7 -v date="$(sed -n 's/^\.Dd //p' "$here/memwarnd.8")" \
    -v about="how services speak with memwarnd" -f "$here/markdown.awk" "$here/../../docs/PROTOCOL.md" >"$protocol"
chmod 644 "$protocol"
