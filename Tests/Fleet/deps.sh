#!/bin/sh
# Installs the packages of missing commands that the tests in this folder need: deps.sh COMMAND=PACKAGE...
set -eu

missing=''
for pair in "$@"; do
    command -v "${pair%%=*}" >/dev/null 2>&1 || missing="$missing ${pair#*=}"
done
[ -n "$missing" ] || exit 0
# The list of packages has to be split into words.
# shellcheck disable=SC2086
"$(dirname "$0")/../../packaging/install-packages.sh" fleet $missing
