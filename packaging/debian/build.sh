#!/bin/sh
# Makes the Debian package of programs that are already built: build.sh BIN FOLDER, where BIN is the folder with memwarnd and
# memwarnctl. Leaves the package in FOLDER, and checks it with lintian. Installs missing tools.
set -eu

if [ $# != 2 ] || [ ! -x "$1/memwarnd" ] || [ ! -x "$1/memwarnctl" ]; then
    echo "usage: build.sh BIN FOLDER; memwarnd and memwarnctl have to be in BIN, make release builds them" >&2
    exit 2
fi
repository=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$2"
bin=$(realpath "$1")
folder=$(realpath "$2")

missing=
[ -e /usr/share/perl5/Debian/Debhelper/Sequence/installsysusers.pm ] || missing="$missing debhelper"
command -v dpkg-buildpackage >/dev/null || missing="$missing dpkg-dev"
command -v lintian >/dev/null || missing="$missing lintian"
command -v readelf >/dev/null || missing="$missing binutils"
command -v dh_apparmor >/dev/null || missing="$missing dh-apparmor"
# shellcheck disable=SC2086 # a list
"$repository/packaging/install-packages.sh" build $missing

for program in memwarnd memwarnctl; do
    if readelf -d "$bin/$program" | grep -E 'R(UN)?PATH'; then
        echo "build: $program looks for libraries in places that a package has no say in; make release builds one that does not" >&2
        exit 1
    fi
done

# A source tree of the packaged files, and the programs.
tree=$folder/tree
rm -rf "$folder"/memwarnd*_* "$tree"
mkdir -p "$tree"
cd "$repository"
cp -R README.md CHANGELOG.md SECURITY.md LICENSE docs packaging "$tree"
mkdir -p "$tree/Examples"
cp -R Examples/python "$tree/Examples"
mv "$tree/packaging/debian" "$tree/debian"
sed -i "s|@MAINTAINER@|$(cat packaging/maintainer)|" "$tree/debian/control" "$tree/debian/changelog"
install -m 755 "$bin/memwarnd" "$bin/memwarnctl" "$tree"

cd "$tree"
said=$("$bin/memwarnd" --version)
meant=$(dpkg-parsechangelog -S Version)
if [ "$said" != "$meant" ]; then
    echo "build: memwarnd says that it is $said, packaging/debian/changelog that it is $meant" >&2
    exit 1
fi
dpkg-buildpackage --build=binary --no-sign >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    exit 1
}
cd "$folder"
rm -rf "$tree"
lintian --fail-on error --tag-display-limit 0 ./memwarnd_*.deb
ls "$folder"/memwarnd_*.deb
