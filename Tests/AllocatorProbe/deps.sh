#!/bin/sh
# Installs the allocators that the tests run a program with. Does nothing where they are there already.
set -eu

# Each under the names that it has had in Debian; mimalloc's library in a folder without a package's name.
find_package() { # PATTERN: the first package that the archive has
    apt-cache --names-only search "$1" | cut -d ' ' -f 1 | sort | head -n 1
}

loaded() { # LIBRARY...: whether the loader knows one of them
    for library; do
        case $(/sbin/ldconfig -p) in *"$library"*) return 0 ;; esac
    done
    return 1
}

missing=
loaded libjemalloc.so.2 || missing="$missing libjemalloc2"
loaded libmimalloc.so.2 libmimalloc.so.3 || missing="$missing $(find_package '^libmimalloc[0-9.]+$')"
loaded libtcmalloc_minimal.so.4 || missing="$missing $(find_package '^libtcmalloc-minimal4(t64)?$')"
# Words.
# shellcheck disable=SC2086
"$(dirname "$0")/../../packaging/install-packages.sh" allocators $missing
