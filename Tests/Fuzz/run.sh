#!/bin/bash
# Fuzzes one parser: run.sh NAME SECONDS, where NAME is a folder beside this script with
#   *.swift   which define LLVMFuzzerTestOneInput, and
#   corpus/   inputs to start from.
# The run writes to .build/fuzz/NAME: the program, new inputs in found/, and crash-* if there was a crash.
# To keep the new inputs that extend the coverage:
#   .build/fuzz/NAME/fuzz -merge=1 -use_counters=0 Tests/Fuzz/NAME/corpus .build/fuzz/NAME/found
set -euo pipefail
cd "$(dirname "$0")/../.."

if [[ $# -ne 2 || ! -d Tests/Fuzz/$1/corpus ]]; then
    echo "usage: $0 NAME SECONDS, NAME being one of: $(cd Tests/Fuzz && ls -d -- */ | tr -d "/" | xargs)" >&2
    exit 2
fi
name=$1
seconds=$2
out=.build/fuzz/$name
# The modules that several fuzzers share are compiled once.
shared=.build/fuzz/modules
mkdir -p "$out/found" "$shared"

# SwiftPM does not build this: its products have a main, and libFuzzer brings its own. The address sanitizer turns a read past the
# end of the input into a crash, since -O does not check the bounds of unsafe buffers.
flags=(
    -O -wmo -parse-as-library -sanitize=fuzzer,address -swift-version 6 -warnings-as-errors
    -enable-upcoming-feature ExistentialAny
    -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature MemberImportVisibility
    -package-name memwarnd -I "$out" -I "$shared"
)

# Whether an object has to be built again: it is missing, or older than one of its sources or another object.
is_stale() {
    local object=$1 file
    shift
    for file in "$@"; do
        if [[ ! $object -nt $file ]]; then return 0; fi
    done
    return 1
}

# Only one run builds them, if several are started at once.
exec {lock}>"$shared/lock"
flock "$lock"
# For a C target, SwiftPM creates the module map itself.
printf 'module CLinux {\n    header "%s"\n    export *\n}\n' "$PWD/Sources/CLinux/include/CLinux.h" >"$shared/module.modulemap"
modules=(MemoryPressure MemwarnProtocol)
objects=()
for source in Sources/CLinux/*.c; do
    object=$shared/$(basename "$source" .c).o
    if is_stale "$object" "$source" Sources/CLinux/include/*.h; then
        clang -O2 -fsanitize=address -I Sources/CLinux/include -c -o "$object" "$source"
    fi
    objects+=("$object")
done
if [[ $name == archive ]]; then modules+=(ResourceCaches ResourceManager ResourceArchives); fi
if [[ $name == configuration ]]; then modules+=(WarningPolicy MemwarnSettings); fi
for module in "${modules[@]}"; do
    mapfile -t sources < <(find "Sources/$module" -name '*.swift' | sort)
    if is_stale "$shared/$module.o" Sources/CLinux/include/CLinux.h "${sources[@]}" "${objects[@]}"; then
        swiftc "${flags[@]}" -enable-testing -module-name "$module" -emit-module \
            -emit-module-path "$shared/$module.swiftmodule" -c -o "$shared/$module.o" "${sources[@]}"
    fi
    objects+=("$shared/$module.o")
done
exec {lock}>&-
sources=("Tests/Fuzz/$name"/*.swift)
# Parts of memwarnctl that need no other part of it: the format of recordings, and the output of a configuration.
if [[ $name == recording ]]; then sources+=(Sources/memwarnctl/Recording/Format/*.swift); fi
if [[ $name == configuration ]]; then sources+=(Sources/memwarnctl/Configuration/*.swift); fi
swiftc "${flags[@]}" -module-name Fuzz -o "$out/fuzz" "${sources[@]}" "${objects[@]}"

# Swift's own crash reporter reads memory that the address sanitizer forbids: it would crash too and leave swift-backtrace waiting
# for ever. libFuzzer prints the stack and keeps the input.
export SWIFT_BACKTRACE=enable=no
# None of our inputs is longer than 4096 bytes. libFuzzer adds new inputs to the first corpus.
"$out/fuzz" -max_total_time="$seconds" -max_len=4096 -timeout=5 -print_final_stats=1 -artifact_prefix="$out/" \
    "$out/found" "Tests/Fuzz/$name/corpus"
