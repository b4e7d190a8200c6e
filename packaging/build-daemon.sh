#!/bin/sh
# Builds memwarnd as it is shipped, and leaves it in FOLDER: build-daemon.sh FOLDER.
#
# The result is an Embedded Swift program of a megabyte, without the Swift runtime. The compiler has to contain Embedded Swift's
# library for this machine. If it does not (compilers for arm64 do not yet), the daemon is built in ordinary Swift; that program
# behaves the same and has forty megabytes. README.md lists the program of each kind of machine.
#
# The program is linked twice. In between it runs for some seconds, and the second link places the functions that it then uses side
# by side, which saves half a megabyte of memory.
#
# $SWIFT is the compiler. The script fails if the compiler does not end (with some code it never does), if a text in the program
# contains a value that Embedded Swift cannot print, or if the program has grown too large.
set -eu

folder=${1:?the folder to leave memwarnd in}
swift=${SWIFT:-swift}
# In seconds. A build from scratch takes one minute on two processors, and ten on a machine with other work.
limit=1800
# In bytes, without symbols.
largest=1000000

cd "$(dirname "$0")/.."
mkdir -p "$folder"
built=.build/daemon
target=$("${swift}c" -print-target-info)
triple=$(echo "$target" | sed -n 's/.*"triple": "\(.*\)",/\1/p' | head -n 1)
library=$(echo "$target" | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')/embedded/$triple

if [ ! -e "$library/libswiftUnicodeDataTables.a" ]; then
    echo "build-daemon: this compiler has no Embedded Swift for $triple; memwarnd is built in ordinary Swift"
    "$swift" build -c release --static-swift-stdlib --disable-local-rpath -Xswiftc -no-toolchain-stdlib-rpath \
        --product memwarnd --scratch-path "$built"
    install -m 755 "$built/release/memwarnd" "$folder/memwarnd"
    exit
fi

program=$built/release/memwarnd
order=$built/order
# Merges equal functions (icf), and packs each address that has to be relocated at the start into a bit. Library functions are
# looked up at the start (now), and not in a warning, which would touch pages of the loader. The linker comes with the compiler.
link() {
    status=0
    MEMWARND_EMBEDDED=1 timeout --kill-after=10 "$limit" "$swift" build -c release --product memwarnd \
        --scratch-path "$built" --disable-local-rpath -Xswiftc -use-ld=lld -Xlinker "-L$library" -Xlinker --gc-sections \
        -Xlinker --icf=all -Xlinker -z -Xlinker pack-relative-relocs -Xlinker -z -Xlinker now -Xlinker --no-eh-frame-hdr \
        -Xlinker -T -Xlinker packaging/daemon.ld "$@" || status=$?
    case $status in
    0) ;;
    124 | 137) echo "build-daemon: the compiler did not end within $limit s" >&2 && exit 1 ;;
    *) exit "$status" ;;
    esac
}

# Runs the linked program as a service with a host, and prints the functions that run after its start: called_in KERNEL, where the
# folder KERNEL has the kernel's files.
called_in() {
    # The host's cgroup is looked up by its process id, which exec keeps.
    PROCESSES=$sandbox/kernel/proc sh -c 'mkdir "$0/proc/$$" && echo 0::/service >"$0/proc/$$/cgroup" && exec "$@"' \
        "$sandbox/kernel" "$built/exercise-daemon" "$sandbox/socket" "$built/called-functions" "$program" release_read_only_pages run \
        --config "$sandbox/memwarnd.toml" --kernel-root "$1" <"$sandbox/symbols" 2>"$sandbox/log" && return
    cat "$sandbox/log" >&2
    return 1
}

# Makes the kernel's files of a machine whose cgroups have limits; the build machine may have none.
make_kernel() {
    mkdir -p "$1/proc/pressure" "$1/proc/self/ns" "$1/cgroup/service"
    echo '24 1 0:21 / /cgroup rw - cgroup2 cgroup2 rw' >"$1/proc/self/mountinfo"
    echo 0::/service >"$1/proc/self/cgroup"
    printf 'MemTotal: 1000000 kB\nMemAvailable: 900000 kB\n' >"$1/proc/meminfo"
    printf '%s avg10=0.00 avg60=0.00 avg300=0.00 total=0\n' some full | tee "$1/cgroup/service/memory.pressure" \
        >"$1/proc/pressure/memory"
    for counter in pgscan_direct pgsteal_direct pgscan_kswapd pgsteal_kswapd workingset_refault_file; do
        echo "$counter 0"
    done >"$1/proc/vmstat"
    echo 1000000 | tee "$1/cgroup/service/memory.max" "$1/cgroup/service/memory.high" >"$1/cgroup/service/memory.current"
    printf '%s 0\n' anon file inactive_file pgscan pgsteal >"$1/cgroup/service/memory.stat"
    printf '%s 0\n' low high max oom oom_kill >"$1/cgroup/service/memory.events"
    printf '%s 1\n' populated >"$1/cgroup/service/cgroup.events"
    echo 1 >"$1/cgroup/service/cgroup.pressure"
}

# Prints the functions that the daemon runs after its start, in the order of their first calls. Those of the warning that it
# rehearses come first, and only they stay in memory. Then come the functions that hosts need, with a cgroup's limits and with the
# kernel's own files, and functions that may call systemd or write to the log.
called_functions() {
    sandbox=$(mktemp -d)
    : >"$sandbox/memwarnd.toml"
    make_kernel "$sandbox/kernel"
    nm -n "$program" >"$sandbox/symbols"
    status=0
    called_in "$sandbox/kernel" >"$sandbox/with-limits" || status=1
    rm -f "$sandbox"/socket*
    called_in / >"$sandbox/with-real-files" || status=1
    # A function's place is the earlier of its two places.
    awk '!($0 in turn) || FNR < turn[$0] { turn[$0] = FNR } END { for (name in turn) print turn[name], name }' \
        "$sandbox/with-limits" "$sandbox/with-real-files" | sort -n | cut -d ' ' -f 2 >"$sandbox/called"
    awk '{ print $NF }' "$sandbox/symbols" >"$sandbox/names"
    # Old kernels need the first group.
    {
        grep ConnectedProcess "$sandbox/names"
        cat "$sandbox/called"
        grep -E '7Systemd|LowMemoryMonitor|DeferredLog' "$sandbox/names"
    } | awk '!seen[$0]++'
    rm -r "$sandbox"
    return "$status"
}

link
if [ "$(uname -m)" = x86_64 ]; then
    for tool in called-functions exercise-daemon; do
        "$library/../../../../bin/clang" -O2 -Wall -Werror -o "$built/$tool" "packaging/$tool.c"
    done
    if called_functions >"$order"; then
        link -Xlinker --symbol-ordering-file -Xlinker "$order" -Xlinker --no-warn-symbol-ordering
    else
        echo "build-daemon: the program cannot be traced here, and its functions stay in the linker's order" >&2
        # Our own builds always order the functions. A package's build machine may forbid ptrace(2), or have no PSI.
        [ -z "${MEMWARND_STRICT:-}" ] || exit 1
    fi
fi
if grep -q 'cannot print value in embedded Swift' "$program"; then
    echo "build-daemon: a text has a value in it that Embedded Swift cannot print; give its type a description" >&2
    exit 1
fi
strip -o "$built/stripped" "$program"
size=$(wc -c <"$built/stripped")
if [ "$size" -gt "$largest" ]; then
    echo "build-daemon: memwarnd has $size bytes without symbols, more than $largest" >&2
    exit 1
fi
echo "build-daemon: memwarnd has $size bytes without symbols"
install -m 755 "$program" "$folder/memwarnd"
