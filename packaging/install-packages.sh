#!/bin/sh
# Installs Debian packages: install-packages.sh WHO PACKAGE..., where WHO names the script that needs them. That script has checked
# which ones are missing.
set -eu

who=$1
shift
[ $# -gt 0 ] || exit 0
if ! command -v apt-get >/dev/null 2>&1; then
    echo "$who: install what Debian calls $*, and run this again" >&2
    exit 1
fi
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
echo "$who: installing $*" >&2
# apt-get update does not wait for another one, and two scripts may run at a time.
exec 9<"$0"
flock 9
$as_root apt-get update -qq
$as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "$@" >&2
