#!/bin/sh
# Installs what the documents' tools need besides the build: deps.sh PROGRAM..., each the name of a program.
# Does nothing where all are there.
set -eu

packages=
for program in "$@"; do
    command -v "$program" >/dev/null 2>&1 || packages="$packages $program"
done
# A module and no program; needed by whoever needs Python.
/usr/bin/python3 -c 'import yaml' 2>/dev/null || packages="$packages python3-yaml"
[ -n "$packages" ] || exit 0
# Each package is called like its program. They are words.
# shellcheck disable=SC2086
"$(dirname "$0")/../../packaging/install-packages.sh" docs $packages
