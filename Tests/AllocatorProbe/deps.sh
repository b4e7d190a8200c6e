#!/bin/sh
# Installs the allocators with which the tests run a program. Does nothing if they are already installed.
set -eu

# Each under the names that it has had in Debian; mimalloc's library is in a folder without a package's name.
find_package() { # PATTERN: the first package that the archive has
    apt-cache --names-only search "$1" | cut -d ' ' -f 1 | sort | head -n 1
}

loaded() { # LIBRARY...: whether the loader knows one of them
    for library; do
        case $(/sbin/ldconfig -p) in *"$library"*) return 0 ;; esac
    done
    return 1
}

loaded libjemalloc.so.2 && loaded libmimalloc.so.2 libmimalloc.so.3 && loaded libtcmalloc_minimal.so.4 && exit 0
install=$(dirname "$0")/../../packaging/install-packages.sh
# The first call also fetches the archive's list, in which the other names are looked up.
"$install" allocators libjemalloc2
"$install" allocators "$(find_package '^libmimalloc[0-9.]+$')" "$(find_package '^libtcmalloc-minimal4(t64)?$')"
