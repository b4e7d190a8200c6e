#!/bin/sh
# Shows memory being given back: a real daemon, a real host, and real pressure where this kernel lets us make it.
#
# demo.sh BIN, where BIN holds memwarnd, gallery and thrash. Ends by itself, cleans up, and exits 0 only if the memory
# really came back, was loaded again, and the host was told by a stall (or by a simulation, where there can be none).
# Lists of cgroups and pids are left unquoted: they are words, and may be empty.
# shellcheck disable=SC2086
set -eu

bin=$(cd "$1" && pwd)
dir=$(mktemp -d /tmp/memwarnd-demo.XXXXXX)
export MEMWARND_SOCKET="$dir/memwarnd.sock"
daemon='' gallery='' watch='' thrash='' limited='' unified='' started=$(date +%s%N)

say() { # seconds since the start, and a sentence
    now=$(date +%s%N)
    printf '%6d ms  %s\n' $(((now - started) / 1000000)) "$*"
}

finish() {
    status=$?
    trap - EXIT INT TERM
    for pid in $thrash $gallery $watch $daemon; do kill "$pid" 2>/dev/null || true; done
    for pid in $thrash $gallery $watch $daemon; do wait "$pid" 2>/dev/null || true; done
    for cgroup in $limited $unified; do
        # The kernel empties a cgroup a moment after its last process ended.
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            if rmdir "$cgroup" 2>/dev/null; then break; fi
            sleep 0.1
        done
    done
    [ "$status" = 0 ] || { echo "--- the daemon said:"; cat "$dir/daemon.log"; echo "--- the gallery said:"; cat "$dir/gallery.log"; } 2>/dev/null
    rm -rf "$dir"
    exit "$status"
}
trap finish EXIT
trap 'exit 1' INT TERM

wait_for() { # FILE PATTERN SECONDS: until a line matches; fails when the time is over
    tries=$(($3 * 20))
    while ! grep -q "$2" "$1" 2>/dev/null; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return 1
        sleep 0.05
    done
}

resident() { # MiB
    awk '/^VmRSS:/ { print int($2 / 1024) }' "/proc/$1/status"
}

stalled() { # ms
    sed -n 's/^some .*total=\([0-9]*\)$/\1/p' "$1" | awk '{ print int($1 / 1000) }'
}

raised() { # the scopes above normal, with their levels; the machine's own level holds the gallery's too
    scopes=$("$bin/memwarnd" status | awk '/^SCOPE / { isScope = 1; next } /^$/ { isScope = 0 }
        isScope && $2 != "normal" { printf "%s%s is %s", comma, ($1 == "/" ? "the machine itself (/)" : $1), $2; comma = ", " }')
    echo "${scopes:-by now no scope is under pressure}"
}

# A cgroup whose processes may keep 208 MiB: the gallery's 160 leave too little for a file of 96 that is being read.
limit=208
make_cgroup() {
    mount=$(awk '{ for (i = 7; i < NF; i++) if ($i == "-" && $(i + 1) == "cgroup2") { print $5; exit } }' /proc/self/mountinfo)
    [ -n "$mount" ] || { reason="no cgroup v2 hierarchy is mounted"; return 1; }
    own=$(sed -n 's/^0:://p' /proc/self/cgroup)
    [ -d "$mount$own" ] || own=''
    # Below our own cgroup there is no memory controller as long as we are in it; below the root there may be.
    for parent in "$mount" "$mount${own%/}"; do
        unified="$parent/memwarnd-demo-$$"
        mkdir "$unified" 2>/dev/null || continue
        if [ -e "$unified/memory.high" ]; then
            echo "${limit}M" >"$unified/memory.high"
            return 0
        fi
        [ "$parent" = "$mount${own%/}" ] || rmdir "$unified"
    done
    [ -d "$unified" ] || { reason="this user may not make a cgroup in $parent"; unified=''; return 1; }
    # A hybrid host: the limit is version 1's, and the stalls are booked to the version 2 cgroup all the same.
    version1=$(awk '/ - cgroup / && $NF ~ /(^|,)memory(,|$)/ { print $5; exit }' /proc/self/mountinfo)
    [ -n "$version1" ] || { reason="no memory controller can be used here"; return 1; }
    limited="$version1$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)/memwarnd-demo-$$"
    mkdir "$limited" 2>/dev/null || { reason="this user may not make a cgroup in $version1"; limited=''; return 1; }
    echo "${limit}M" >"$limited/memory.limit_in_bytes"
}

cat >"$dir/memwarnd.toml" <<'TOML'
[levels]
dwell = "3s"    # the demo is in a hurry
TOML

say "starting the daemon on a private socket"
"$bin/memwarnd" run --config "$dir/memwarnd.toml" >"$dir/daemon.log" 2>&1 &
daemon=$!
wait_for "$dir/daemon.log" 'listens on' 5
"$bin/memwarnd" watch >"$dir/watch.log" 2>&1 &
watch=$!

reason=''
make_cgroup || true
if [ -z "$reason" ]; then
    say "made a cgroup with room for $limit MiB"
    sh -c 'for cgroup in "$@"; do echo $$ >"$cgroup/cgroup.procs" || exit 1; done
           exec "$0" --visit-ms 200' "$bin/gallery" $limited $unified >"$dir/gallery.log" 2>&1 &
else
    say "no real pressure here: $reason; simulating it"
    "$bin/gallery" --visit-ms 200 >"$dir/gallery.log" 2>&1 &
fi
gallery=$!
wait_for "$dir/gallery.log" 'origin daemon' 15
before=$(resident "$gallery")
say "the gallery is registered: 8 pictures of 16 MiB, 1 of them shown, and a cache of 32; $before MiB resident"

if [ -z "$reason" ]; then
    calm=$(stalled "$unified/memory.pressure")
    "$bin/thrash" "$dir/file" 96 4 8 $limited $unified >"$dir/thrash.log" 2>&1 &
    thrash=$!
    wait_for "$dir/thrash.log" thrashing 20
    say "another process in the same cgroup begins to read a file of 96 MiB that does not fit beside the gallery"
    wait_for "$dir/gallery.log" '^released' 12 || { say "no warning came"; exit 1; }
    say "stalled for $(($(stalled "$unified/memory.pressure") - calm)) ms by now; the gallery was warned and answered:"
else
    sleep 1
    "$bin/memwarnd" simulate --level critical >"$dir/simulate.log" || { cat "$dir/simulate.log"; exit 1; }
    say "the gallery was warned and answered:"
fi
grep -E '^(warning|released)' "$dir/gallery.log" | head -2 | sed 's/^/             /'
after=$(resident "$gallery")
say "the kernel says: $before MiB resident before, $after MiB after"
[ "$after" -lt $((before / 2)) ] || { say "the memory did not come back"; exit 1; }

if [ -z "$reason" ]; then
    calm=$(stalled "$unified/memory.pressure")
    wait "$thrash" || true
    thrash=''
    say "the reader is done: $(($(stalled "$unified/memory.pressure") - calm)) ms of stall since the gallery gave its memory back"
    wait_for "$dir/gallery.log" '^level normal' 20 || { say "the level did not fall: $(raised)"; exit 1; }
    say "the daemon says it is over"
fi
wait_for "$dir/gallery.log" 'loaded again' 10 || { say "nothing was loaded again"; exit 1; }
sleep 2
say "the pictures are looked at again: $(grep -c 'loaded again' "$dir/gallery.log") were loaded, $(resident "$gallery") MiB resident"

echo
"$bin/memwarnd" status
echo
say "what memwarnd watch saw:"
sed 's/^/             /' "$dir/watch.log"
