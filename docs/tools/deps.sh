#!/bin/sh
# Installs the dependencies of the documents' tools besides the build: deps.sh PROGRAM..., with the names of programs. Does nothing
# if all are installed.
set -eu

packages=
for program in "$@"; do
    command -v "$program" >/dev/null 2>&1 || packages="$packages $program"
done
# A module, not a program; the Python tools need it.
/usr/bin/python3 -c 'import yaml' 2>/dev/null || packages="$packages python3-yaml"
[ -n "$packages" ] || exit 0
# Each package has the name of its program. The names are split into words.
# shellcheck disable=SC2086
"$(dirname "$0")/../../packaging/install-packages.sh" docs $packages
