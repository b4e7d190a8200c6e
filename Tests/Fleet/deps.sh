#!/bin/sh
# Installs what the tests in this folder need, as far as it is missing: deps.sh COMMAND=PACKAGE...
set -eu

missing=''
for pair in "$@"; do
    command -v "${pair%%=*}" >/dev/null 2>&1 || missing="$missing ${pair#*=}"
done
[ -n "$missing" ] || exit 0
# Words on purpose: a list of packages.
# shellcheck disable=SC2086
"$(dirname "$0")/../../packaging/install-packages.sh" fleet $missing
