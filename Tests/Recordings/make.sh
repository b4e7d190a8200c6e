#!/bin/sh
# Makes the recordings in this folder again, with real pressure, in about nine minutes: make.sh BIN [NAME...], where BIN contains
# memwarnd and thrash. Needs root, and a memory controller of either version.
# storms.memrec: five storms of a cgroup, each marked, with calm between them.
# calm.memrec: ordinary work in a cgroup that reaches its limit: reads of files, a compiler, and idle time.
# busy.memrec: the same on a machine with far more work than CPUs (the recording here was made beside compilers).
# Lists of cgroups are unquoted, because they have to be split into words. The inner shell expands the words in single quotes.
# shellcheck disable=SC2086,SC2016
set -eu

bin=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d /var/tmp/memwarnd-recordings.XXXXXX)
cgroups='' recorder='' work=''

finish() {
    status=$?
    trap - EXIT INT TERM
    for pid in $work $recorder; do kill "$pid" 2>/dev/null || true; done
    for cgroup in $cgroups; do
        while read -r pid; do kill "$pid" 2>/dev/null || true; done <"$cgroup/cgroup.procs"
    done
    wait
    for cgroup in $cgroups; do
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            if rmdir "$cgroup" 2>/dev/null; then break; fi
            sleep 0.1
        done
    done
    rm -rf "$dir"
    exit "$status"
}
trap finish EXIT
trap 'exit 1' INT TERM

mount=$(awk '{ for (i = 7; i < NF; i++) if ($i == "-" && $(i + 1) == "cgroup2") { print $5; exit } }' /proc/self/mountinfo)
scope=/memwarnd-recordings
mkdir "$mount$scope"
cgroups="$mount$scope"
limit() { # MIB
    if [ -e "$mount$scope/memory.high" ]; then
        echo "$1M" >"$mount$scope/memory.high"
        return
    fi
    # A hybrid host: the limit is in version 1, and the stalls are still charged to the version 2 cgroup.
    version1=$(awk '/ - cgroup / && $NF ~ /(^|,)memory(,|$)/ { print $5; exit }' /proc/self/mountinfo)
    limited="$version1$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)$scope"
    [ -d "$limited" ] || { mkdir "$limited"; cgroups="$limited $cgroups"; }
    echo "$1M" >"$limited/memory.limit_in_bytes"
}
inside() { # COMMAND...: runs it in the cgroup
    sh -c 'for cgroup in $0; do echo $$ >"$cgroup/cgroup.procs" || exit 1; done; exec "$@"' "$cgroups" "$@"
}
record() { # NAME
    rm -f "$here/$1"
    "$bin/memwarnd" record "$here/$1" --scope "$scope" &
    recorder=$!
    sleep 1
}
storm() { # CHILDREN SECONDS MIB
    "$bin/thrash" "$dir/file" "$3" "$1" "$2" $cgroups >"$dir/thrash.log" &
    work=$!
    while ! grep -q thrashing "$dir/thrash.log"; do sleep 0.02; done
    kill -USR1 "$recorder"
    wait "$work" || true
    work=''
    kill -USR2 "$recorder"
}
stop() {
    kill "$recorder"
    wait "$recorder"
    recorder=''
}

make_storms() {
    limit 24
    record storms.memrec
    sleep 15
    storm 4 12 96
    sleep 30
    storm 2 10 64
    sleep 25
    storm 8 20 96
    sleep 35
    storm 4 6 128
    sleep 25
    storm 3 30 48
    sleep 25
    stop
}

# A task that waits for a CPU while it reclaims counts as stalled on memory; with this priority it does not wait.
make_calm() {
    work_in calm.memrec nice -n -20
}

make_busy() {
    spinners=''
    for _ in 1 2 3 4 5 6 7 8; do
        sh -c 'while :; do :; done' &
        spinners="$spinners $!"
    done
    work="$spinners"
    work_in busy.memrec
    kill $spinners
    work=''
}

work_in() { # FILE COMMAND...: records ordinary work that COMMAND runs
    name=$1
    shift
    limit 192
    head -c 402653184 /dev/zero >"$dir/big"
    sync "$dir/big"
    dd if=/dev/null of="$dir/big" oflag=nocache conv=notrunc,fdatasync count=0 2>/dev/null
    record "$name"
    sleep 15
    # Files that are read in turns, each larger than the remaining memory.
    inside "$@" sh -c 'for _ in 1 2 3 4 5 6 7 8 9 10; do dd if="$0" of=/dev/null bs=256k 2>/dev/null; sleep 2; done' "$dir/big"
    sleep 10
    # A compiler.
    inside "$@" sh -c 'for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do cc -O2 -c -o "$1" "$0"; sleep 1; done' \
        "$here/../Thrash/main.c" "$dir/main.o"
    # Files again, with longer pauses.
    inside "$@" sh -c 'for _ in 1 2 3 4 5; do cat "$0" >/dev/null; sleep 5; done' "$dir/big"
    sleep 20
    stop
}

limit 192
inside sleep 3600 & # says where the memory is charged
sleep 0.2
shift
[ $# -gt 0 ] || set -- storms calm busy
for recording in "$@"; do "make_$recording"; done
ls -l "$here"
