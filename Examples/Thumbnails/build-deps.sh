#!/bin/sh
# Installs what this example needs besides Swift: libjpeg-turbo's headers (Fedora: turbojpeg-devel). Does nothing where
# they are there already.
set -eu

if pkg-config --exists libturbojpeg 2>/dev/null || [ -e /usr/include/turbojpeg.h ]; then
    exit 0
fi
"$(dirname "$0")/../../packaging/install-packages.sh" build-deps libturbojpeg0-dev pkg-config
