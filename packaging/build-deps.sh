#!/bin/sh
# Installs the build's dependencies besides Swift: libsystemd's headers (Fedora: systemd-devel). Does nothing if they are installed
# already.
set -eu

if pkg-config --exists libsystemd 2>/dev/null || [ -e /usr/include/systemd/sd-event.h ]; then
    exit 0
fi
"$(dirname "$0")/install-packages.sh" build-deps libsystemd-dev pkg-config
