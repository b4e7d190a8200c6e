#!/bin/bash
# Fuzzes one parser: run.sh NAME SECONDS, where NAME is a folder beside this script with
#   *.swift   which define LLVMFuzzerTestOneInput, and
#   corpus/   inputs to start from.
# What the run finds goes to .build/fuzz/NAME: the program, new inputs in found/, and crash-* if there was a crash.
# To keep what is worth keeping of the new inputs:
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
# What several fuzzers are made of is compiled once.
shared=.build/fuzz/modules
mkdir -p "$out/found" "$shared"

# Not by SwiftPM: its products have a main, and libFuzzer brings its own. The address sanitizer is what turns a read
# past the end of the input into a crash, for -O leaves the bounds of unsafe buffers unchecked.
flags=(
    -O -wmo -parse-as-library -sanitize=fuzzer,address -swift-version 6 -warnings-as-errors
    -enable-upcoming-feature ExistentialAny
    -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature MemberImportVisibility
    -package-name memwarnd -I "$out" -I "$shared"
)

# Whether an object has to be made anew: it is not there, or older than one of its sources or another object.
is_stale() {
    local object=$1 file
    shift
    for file in "$@"; do
        if [[ ! $object -nt $file ]]; then return 0; fi
    done
    return 1
}

# By one run, if several are started at once.
exec {lock}>"$shared/lock"
flock "$lock"
# SwiftPM makes the module map of a target in C by itself.
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
# Parts of memwarnctl that need no other part of it: the format of recordings, and how a configuration is shown.
if [[ $name == recording ]]; then sources+=(Sources/memwarnctl/Recording/Format/*.swift); fi
if [[ $name == configuration ]]; then sources+=(Sources/memwarnctl/Configuration/*.swift); fi
swiftc "${flags[@]}" -module-name Fuzz -o "$out/fuzz" "${sources[@]}" "${objects[@]}"

# Swift's own report of a crash reads memory that the address sanitizer forbids: it would crash in turn and leave
# swift-backtrace waiting for ever. libFuzzer prints the stack and keeps the input.
export SWIFT_BACKTRACE=enable=no
# No input of ours is longer than 4096 bytes. The first corpus is the one that is added to.
"$out/fuzz" -max_total_time="$seconds" -max_len=4096 -timeout=5 -print_final_stats=1 -artifact_prefix="$out/" \
    "$out/found" "Tests/Fuzz/$name/corpus"
