#!/bin/sh
# Installs what this example needs besides Swift: libjpeg-turbo's headers. Does nothing where they are there already.
set -eu

if pkg-config --exists libturbojpeg 2>/dev/null || [ -e /usr/include/turbojpeg.h ]; then
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "build-deps: install libjpeg-turbo's headers (Debian: libturbojpeg0-dev, Fedora: turbojpeg-devel) and run this again" >&2
    exit 1
fi
as_root=
if [ "$(id -u)" != 0 ]; then
    as_root=sudo
fi
echo "build-deps: installing libturbojpeg0-dev and pkg-config" >&2
$as_root apt-get update -qq
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends libturbojpeg0-dev pkg-config >&2
