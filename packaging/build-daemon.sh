#!/bin/sh
# Builds memwarnd as it is shipped, and leaves it in FOLDER: build-daemon.sh FOLDER.
#
# That is an Embedded Swift program of a megabyte, without the Swift runtime. The compiler has to bring Embedded Swift's
# library for the machine that it runs on; where it does not (those for arm64 do not yet), the daemon is built in ordinary
# Swift, which does the same in forty megabytes. README.md says which machine gets which.
#
# The program is linked twice: in between it runs for three seconds, and the functions that it then uses get places side by
# side, which saves it 0.4 MiB of memory.
#
# $SWIFT is the compiler. Fails if the compiler does not end (at some code it never does), if a text in the program has a value
# in it that Embedded Swift cannot print, and if the program has grown too large.
set -eu

folder=${1:?the folder to leave memwarnd in}
swift=${SWIFT:-swift}
# In seconds; from nothing it takes one minute on two processors.
limit=600
# In bytes, without symbols.
largest=1010000

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
# Functions that turn out the same are one (icf), and addresses that have to be moved at the start are a bit each. Functions of
# libraries are looked up at the start (now), and not in a warning, which would take pages of the loader. The linker comes
# with the compiler.
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

# Prints the functions that the linked program runs after its start, at rest and with a host, in the order of their addresses.
called_functions() {
    sandbox=$(mktemp -d)
    : >"$sandbox/memwarnd.toml"
    nm "$program" >"$sandbox/symbols"
    "$built/exercise-daemon" "$sandbox/socket" 2>"$sandbox/exercise" &
    client=$!
    called=0
    "$built/called-functions" "$program" release_read_only_pages run --socket "$sandbox/socket" \
        --config "$sandbox/memwarnd.toml" <"$sandbox/symbols" 2>"$sandbox/log" || called=$?
    wait "$client" || called=$?
    [ "$called" -eq 0 ] || cat "$sandbox/log" "$sandbox/exercise" >&2
    rm -r "$sandbox"
    return "$called"
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
        # Our own builds order them everywhere; a package's builder may forbid ptrace(2), or have no PSI.
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
