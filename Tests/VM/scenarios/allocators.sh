#!/bin/sh
# With each allocator a warning returns what it claims, and other threads do not wait long for it meanwhile.
set -eu
# shellcheck source=SCRIPTDIR/../guest/lib.sh
. ./lib.sh

figures() { # LIBRARY BYTES FILLER: the probe's line, with nothing else
    LD_PRELOAD=$1 ./bin/allocator-probe "$2" "$3" 100
}
# Whether nine tenths of what is claimed returned, and the longest wait, less what it was before, is at most 2 ms.
returned() { echo "$*" | awk '{ print; exit !($4 - $5 >= 0.9 * $3) }'; }
unhindered() { echo "$*" | awk '{ print; exit !($7 <= $6 + 2e6) }'; }

library() { # PATTERN: the file that fits, or nothing
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
            echo "# $what: $line"
            check "$what: it is recognised" is "$allocator" echo "${line%% *}"
            check "$what: what is claimed returns" returned "$line"
            check "$what: malloc stalls for at most 2 ms" unhindered "$line"
        done
    done
done
