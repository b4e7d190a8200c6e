#!/bin/sh
# Installs what the tests in this folder need, as far as it is missing: deps.sh COMMAND=PACKAGE...
set -eu

missing=''
for pair in "$@"; do
    command -v "${pair%%=*}" >/dev/null 2>&1 || missing="$missing ${pair#*=}"
done
[ -n "$missing" ] || exit 0
if ! command -v apt-get >/dev/null 2>&1; then
    echo "fleet: install what Debian calls$missing, and run this again" >&2
    exit 1
fi
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
echo "fleet: installing$missing" >&2
$as_root apt-get update -qq
# Words on purpose: a list of packages.
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing >&2
