#!/bin/sh
# Checks the form of the manual pages; tests check that they are complete. Installs mandoc if it is missing.
set -eu

if ! command -v mandoc >/dev/null; then
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    echo "check: installing mandoc" >&2
    $as_root apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $as_root apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends mandoc >&2
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$(dirname "$0")/pages.sh" "$folder"
mandoc -T lint -W warning "$folder"/man*/*
