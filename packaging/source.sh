#!/bin/sh
# Makes FOLDER/memwarnd-VERSION.tar.gz: source.sh FOLDER. The archive contains the committed source and, below Vendor, its
# dependencies, so that memwarnd and memwarnctl can be built from it without a network. The script itself needs the network once.
set -eu

folder=$(mkdir -p "${1:?a folder for the archive}" && cd "$1" && pwd)
cd "$(dirname "$0")/.."
version=$(sed -n 's/.*current = "\(.*\)"/\1/p' Sources/MemwarnProgram/Version.swift)
name=memwarnd-$version
tree=$folder/$name

rm -rf "$tree"
mkdir "$tree"
git archive HEAD | tar --extract --directory "$tree"
# Fetches only the dependencies of the default traits, as a build does.
"${SWIFT:-swift}" package --package-path "$tree" resolve
mkdir "$tree/Vendor"
for checkout in "$tree"/.build/checkouts/*; do
    dependency=$(basename "$checkout")
    tar --create --exclude=.git --directory "$tree/.build/checkouts" "$dependency" | tar --extract --directory "$tree/Vendor"
    sed -i "s|url: \"https://github.com/[^\"]*/$dependency\", from: \"[^\"]*\"|path: \"Vendor/$dependency\"|" "$tree/Package.swift"
done
rm -rf "$tree/.build" "$tree/Package.resolved"

# Builds without a network, if the machine permits taking it away.
if unshare --map-root-user --net true 2>/dev/null; then
    unshare --map-root-user --net "${SWIFT:-swift}" package --package-path "$tree" \
        --cache-path "$folder/cache" resolve
    rm -rf "$tree/.build" "$tree/Package.resolved" "$folder/cache"
else
    echo "source: not tried without a network: unshare(1) may not make a network namespace here" >&2
fi
tar --create --gzip --sort=name --owner=0 --group=0 --numeric-owner --file "$folder/$name.tar.gz" --directory "$folder" "$name"
rm -rf "$tree"
echo "$folder/$name.tar.gz"
