#!/bin/sh
# Makes the RPM package of programs that are already built: build.sh BIN FOLDER, where BIN is the folder with memwarnd and
# memwarnctl. Leaves the binary and source packages in FOLDER. Installs missing tools.
set -eu

if [ $# != 2 ] || [ ! -x "$1/memwarnd" ] || [ ! -x "$1/memwarnctl" ]; then
    echo "usage: build.sh BIN FOLDER; memwarnd and memwarnctl have to be in BIN, make release builds them" >&2
    exit 2
fi
repository=$(cd "$(dirname "$0")/../.." && pwd)
bin=$(realpath "$1")
folder=$(mkdir -p "$2" && cd "$2" && pwd)
command -v rpmbuild >/dev/null || "$repository/packaging/install-packages.sh" build rpm

rm -rf "$folder"/memwarnd-*.rpm "$folder/top"
mkdir -p "$folder/top/SOURCES"
"$repository/packaging/source.sh" "$folder/top/SOURCES" >/dev/null
# Debian has rpmbuild too, but no database of RPM packages in which the build's requirements could be found.
rpmbuild -ba --nodeps --define "_topdir $folder/top" --define "bin $bin" \
    --define "version $("$bin/memwarnd" --version)" --define "maintainer $(cat "$repository/packaging/maintainer")" \
    "$repository/packaging/rpm/memwarnd.spec" >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    exit 1
}
mv "$folder"/top/RPMS/*/*.rpm "$folder"/top/SRPMS/*.rpm "$folder"
rm -rf "$folder/top"
for file in /usr/bin/memwarnd /usr/libexec/memwarnd/memwarnctl /usr/lib/systemd/system/memwarnd.service \
    /etc/memwarnd/memwarnd.toml /usr/share/man/man8/memwarnd.8; do
    rpm --query --package --list "$folder"/memwarnd-*[!c].rpm | grep -qxE "$file(\.gz)?" || {
        echo "build: $file is not in the package" >&2
        exit 1
    }
done
ls "$folder"/memwarnd-*.rpm
