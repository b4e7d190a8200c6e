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
if ! command -v apt-get >/dev/null 2>&1; then
    echo "docs: install$packages and run this again" >&2
    exit 1
fi
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
echo "docs: installing$packages" >&2
$as_root apt-get update -qq
# Each package is called like its program. They are words.
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $as_root apt-get -o DPkg::Lock::Timeout=300 install -y -qq \
    --no-install-recommends $packages >&2
