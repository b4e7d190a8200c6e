#!/bin/sh
# Makes the Debian package of a program that was built: build.sh MEMWARND FOLDER. The package is in FOLDER afterwards, and
# lintian has found no error in it. Installs what it is missing.
set -eu

if [ $# != 2 ] || [ ! -x "$1" ]; then
    echo "usage: build.sh MEMWARND FOLDER; there has to be a program, make release builds it" >&2
    exit 2
fi
repository=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$2"
program=$(realpath "$1")
folder=$(realpath "$2")

missing=
[ -e /usr/share/perl5/Debian/Debhelper/Sequence/installsysusers.pm ] || missing="$missing debhelper"
command -v dpkg-buildpackage >/dev/null || missing="$missing dpkg-dev"
command -v lintian >/dev/null || missing="$missing lintian"
command -v dh_apparmor >/dev/null || missing="$missing dh-apparmor"
# shellcheck disable=SC2086 # a list
"$repository/packaging/install-packages.sh" build $missing

# A source tree of what is packaged, and the program.
tree=$folder/tree
rm -rf "$folder"/memwarnd*_* "$tree"
mkdir -p "$tree"
cd "$repository"
cp -R README.md CHANGELOG.md SECURITY.md LICENSE docs packaging "$tree"
mkdir -p "$tree/Examples"
cp -R Examples/python "$tree/Examples"
mv "$tree/packaging/debian" "$tree/debian"
install -m 755 "$program" "$tree/memwarnd"

cd "$tree"
said=$("$program" --version)
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
