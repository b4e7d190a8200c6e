#!/bin/sh
# Builds memwarnd as it is shipped, and leaves it in FOLDER: build-daemon.sh FOLDER.
#
# That is an Embedded Swift program of a megabyte, without the Swift runtime. The compiler has to bring Embedded Swift's
# library for the machine that it runs on; where it does not (those for arm64 do not yet), the daemon is built in ordinary
# Swift, which does the same in forty megabytes. README.md says which machine gets which.
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

# Functions that turn out the same are one (icf), and addresses that have to be moved at the start are a bit each. Functions of
# libraries are looked up at the start (now), and not in a warning, which would take pages of the loader. The linker comes
# with the compiler.
status=0
MEMWARND_EMBEDDED=1 timeout --kill-after=10 "$limit" "$swift" build -c release --product memwarnd \
    --scratch-path "$built" --disable-local-rpath -Xswiftc -use-ld=lld -Xlinker "-L$library" -Xlinker --gc-sections -Xlinker --icf=all \
    -Xlinker -z -Xlinker pack-relative-relocs -Xlinker -z -Xlinker now -Xlinker --no-eh-frame-hdr \
    -Xlinker -T -Xlinker packaging/daemon.ld || status=$?
case $status in
0) ;;
124 | 137) echo "build-daemon: the compiler did not end within $limit s" >&2 && exit 1 ;;
*) exit "$status" ;;
esac
program=$built/release/memwarnd
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
