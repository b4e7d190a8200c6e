#!/bin/sh
# Serves thumbnails under a memory limit of half the working set: deaf to memory warnings, with the library alone, and with
# memwarnd; and prints what became of each as a row of a table.
#
# compare.sh BIN [RUNS [load.py's options]], where BIN holds thumbnails and memwarnd. As root. Under systemd the service is
# thumbnails.service with MemoryMax= and, at four fifths of it, MemoryHigh=; elsewhere it runs in a cgroup that this makes,
# and is started again when it was killed. LIMIT=160 is the limit in MiB, IDLE=2 after how many seconds a client is idle, PORT=8080 where to serve, ORIGINALS
# a folder with photos that were made before, VARIANTS what to run.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$1" && pwd)
shift
runs=${1:-1}
[ $# = 0 ] || shift
# Not below /tmp, which the unit has one of its own of.
dir=$(mktemp -d /run/thumbnails-compare.XXXXXX)
chmod 755 "$dir"
originals=${ORIGINALS:-$dir/originals}
limit=${LIMIT:-160} idle=${IDLE:-2} port=${PORT:-8080} variants=${VARIANTS:-"deaf alone memwarnd"}
socket="$dir/memwarnd.sock"
daemon='' keeper='' limited='' unified=''
# In a lab the library may lie beside the program.
export LD_LIBRARY_PATH="$bin${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

finish() {
    status=$?
    trap - EXIT INT TERM
    stop_service || true
    [ -z "$daemon" ] || kill "$daemon" 2>/dev/null || true
    rm -rf "$dir" /run/systemd/system/thumbnails.service /run/systemd/system/thumbnails.service.d
    exit "$status"
}
trap finish EXIT
trap 'exit 1' INT TERM

has_systemd() { [ -d /run/systemd/system ]; }

arguments() { # VARIANT
    echo "--port $port --originals $originals --idle $idle"
    case $1 in
        deaf) echo --ignore-warnings ;;
        alone) echo "--socket $dir/nobody" ;;
        memwarnd) echo "--socket $socket" ;;
    esac
}

# Where there is no systemd: a cgroup with the limit. On a hybrid host the limit is version 1's, and stalls are booked to
# version 2's.
make_cgroup() {
    mount=$(awk '{ for (i = 7; i < NF; i++) if ($i == "-" && $(i + 1) == "cgroup2") { print $5; exit } }' /proc/self/mountinfo)
    [ -n "$mount" ] || { echo "compare: no cgroup v2 hierarchy is mounted" >&2; exit 1; }
    own=$(sed -n 's/^0:://p' /proc/self/cgroup)
    for parent in "$mount" "$mount${own%/}"; do
        unified="$parent/thumbnails-$$"
        mkdir "$unified" 2>/dev/null || continue
        if [ -e "$unified/memory.max" ]; then
            echo "$((limit * 4 / 5))M" >"$unified/memory.high"
            echo "${limit}M" >"$unified/memory.max"
            return 0
        fi
        [ "$parent" = "$mount${own%/}" ] || rmdir "$unified"
    done
    [ -d "$unified" ] || { echo "compare: this user may not make a cgroup in $mount" >&2; exit 1; }
    version1=$(awk '/ - cgroup / && $NF ~ /(^|,)memory(,|$)/ { print $5; exit }' /proc/self/mountinfo)
    [ -n "$version1" ] || { echo "compare: no memory controller can be used here" >&2; exit 1; }
    limited="$version1$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)/thumbnails-$$"
    mkdir "$limited"
    echo "${limit}M" >"$limited/memory.limit_in_bytes"
}

start_service() { # VARIANT
    if has_systemd; then
        mkdir -p /run/systemd/system/thumbnails.service.d
        cp "$here/thumbnails.service" /run/systemd/system/
        cat >/run/systemd/system/thumbnails.service.d/compare.conf <<UNIT
[Unit]
StartLimitIntervalSec=0
[Service]
ExecStart=
ExecStart=$bin/thumbnails $(arguments "$1" | tr '\n' ' ')
Environment=LD_LIBRARY_PATH=$LD_LIBRARY_PATH
MemoryHigh=$((limit * 4 / 5))M
MemoryMax=${limit}M
UNIT
        systemctl daemon-reload
        systemctl start thumbnails.service
    else
        make_cgroup
        : >"$dir/kills"
        (
            trap 'exit 0' TERM
            while :; do
                # shellcheck disable=SC2046,SC2016 # they are words; the inner shell is to expand the rest
                sh -c 'for cgroup in $0; do echo $$ >"$cgroup/cgroup.procs" || exit 1; done; exec "$@"' \
                    "$limited $unified" "$bin/thumbnails" $(arguments "$1") >>"$dir/service.log" 2>&1 &
                service=$!
                echo "$service" >"$dir/service.pid"
                result=0
                wait "$service" || result=$?
                [ "$result" = 137 ] || { echo "compare: the service ended with $result" >&2; exit 1; }
                echo killed >>"$dir/kills"
                sleep 0.1
            done
        ) &
        keeper=$!
    fi
    for _ in $(seq 200); do
        if status >/dev/null; then return 0; fi
        sleep 0.1
    done
    echo "compare: the service does not answer" >&2
    exit 1
}

stop_service() {
    if has_systemd; then
        systemctl stop thumbnails.service 2>/dev/null
    elif [ -n "$keeper" ]; then
        # The keeper first, which would start it again.
        kill "$keeper" 2>/dev/null || true
        wait "$keeper" 2>/dev/null || true
        kill "$(cat "$dir/service.pid")" 2>/dev/null || true
        keeper=''
        for cgroup in $limited $unified; do
            # The kernel empties a cgroup a moment after its last process ended.
            for _ in $(seq 100); do
                if rmdir "$cgroup" 2>/dev/null; then break; fi
                sleep 0.1
            done
        done
        limited='' unified=''
    fi
}

kills() {
    if has_systemd; then systemctl show -P NRestarts thumbnails.service; else wc -l <"$dir/kills"; fi
}

status() {
    python3 -c 'import sys, urllib.request as r; print(r.urlopen(sys.argv[1], timeout=5).read().decode(), end="")' \
        "http://127.0.0.1:$port/status" 2>/dev/null
}

[ -d "$originals" ] || "$bin/thumbnails" make-originals --originals "$originals"
: >"$dir/memwarnd.toml"
if ! has_systemd; then
    # Version 1 has no memory.high: nothing says that the limit is near, so the daemon has to look from the beginning, and
    # to warn early enough for what comes in between two looks.
    cat >"$dir/memwarnd.toml" <<TOML
[levels]
headroom = 25
headroom-critical = 12
[sensors]
headroom-far = 99
TOML
fi
MEMWARND_SOCKET=$socket "$bin/memwarnd" run --config "$dir/memwarnd.toml" >"$dir/memwarnd.log" 2>&1 &
daemon=$!

echo "| | run | served | failed | p50 ms | p99 ms | longest ms | kills |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- |"
for run in $(seq "$runs"); do
    for variant in $variants; do
        start_service "$variant"
        result=$("$here/load.py" --port "$port" --seed "$run" "$@")
        { echo "--- $variant, run $run:"; status; } >&2 || true
        # shellcheck disable=SC2016 # Python's
        echo "$result" | python3 -c 'import json, sys
figures = json.load(sys.stdin)
cells = [figures[name] for name in ("served", "failed", "p50", "p99", "longest")]
print("|", " | ".join(str(cell) for cell in sys.argv[1:3] + cells + sys.argv[3:]), "|")' "$variant" "$run" "$(kills)"
        stop_service
    done
done
