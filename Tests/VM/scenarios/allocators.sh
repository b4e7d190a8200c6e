#!/bin/sh
# With each allocator a warning returns the bytes that it claims.
#
# The time that other threads wait for malloc meanwhile is not checked: in an emulated machine they wait as long without a warning.
set -eu
# shellcheck source=SCRIPTDIR/../guest/lib.sh
. ./lib.sh

figures() { # LIBRARY BYTES FILLER: exactly the probe's line
    LD_PRELOAD=$1 ./bin/allocator-probe "$2" "$3" 100
}
# Whether nine tenths of the claimed bytes returned.
returned() { echo "$1" | awk '{ print; exit !($3 == 0 || $4 - $5 >= 0.9 * $3) }'; }
library() { # PATTERN: the matching file, or nothing
    find /usr/lib -name "$1" 2>/dev/null | sort | tail -n 1
}

for allocator in glibc jemalloc mimalloc tcmalloc; do
    case $allocator in
        glibc) file= ;;
        jemalloc) file=$(library 'libjemalloc.so.2') ;;
        mimalloc) file=$(library 'libmimalloc.so.[23]') ;;
        tcmalloc) file=$(library 'libtcmalloc_minimal.so.4') ;;
    esac
    if [ "$allocator" != glibc ] && [ -z "$file" ]; then
        not_ok "$allocator is installed"
        continue
    fi
    for size in 1024 4096 16384 1048576; do
        for filler in own idle busy actor; do
            line=$(figures "$file" $size $filler) || line=
            what="$allocator, $size bytes, $filler"
            check "$what: it is recognised" is "$allocator" echo "${line%% *}"
            check "$what: what is claimed returns" returned "$line"
        done
    done
done
