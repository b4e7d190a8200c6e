#!/bin/sh
# Installs what the build needs besides Swift: libsystemd's headers. Does nothing where they are there already.
set -eu

if pkg-config --exists libsystemd 2>/dev/null || [ -e /usr/include/systemd/sd-event.h ]; then
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "build-deps: install libsystemd's headers (Debian: libsystemd-dev, Fedora: systemd-devel) and run this again" >&2
    exit 1
fi
as_root=
if [ "$(id -u)" != 0 ]; then
    as_root=sudo
fi
echo "build-deps: installing libsystemd-dev and pkg-config" >&2
$as_root apt-get update -qq
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends libsystemd-dev pkg-config >&2
