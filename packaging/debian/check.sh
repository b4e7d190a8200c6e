#!/bin/sh
# Installs, upgrades, removes and purges the package in fresh systems: check.sh PACKAGE [SUITE...], by default bookworm and trixie.
# There is no running systemd; the tests in virtual machines check that units start and hosts stay connected. Needs root; installs
# mmdebstrap if it is missing.
set -eu

package=$(realpath "${1:?a package}")
shift
[ $# -gt 0 ] || set -- bookworm trixie

command -v mmdebstrap >/dev/null || "$(dirname "$0")/../install-packages.sh" check mmdebstrap

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/inside.sh" <<'END'
set -eu
export DEBIAN_FRONTEND=noninteractive
fail() { echo "check: $*" >&2; exit 1; }
files() { find / -xdev \( -path /proc -o -path /sys -o -path /tmp -o -path /var/cache -o -path /var/log -o -path /var/lib/dpkg \
    -o -path /var/lib/apt \) -prune -o -print | sort; }

files >/tmp/before
dpkg -i /tmp/memwarnd.deb
getent passwd memwarnd >/dev/null || fail "there is no user memwarnd"
[ "$(getent passwd memwarnd | cut -d: -f7)" = /usr/sbin/nologin ] || fail "memwarnd could log in"
[ -d /run/memwarnd ] || fail "/run/memwarnd was not made"
memwarnd --version
memwarnd config check
for unit in memwarnd.service memwarnd.socket memwarnd-pressure.socket; do
    [ "$(systemctl is-enabled "$unit")" = enabled ] || fail "$unit is not enabled"
done
[ "$(systemctl is-enabled memwarnd-metrics.timer || true)" = disabled ] || fail "the timer is not left off"
[ -L /etc/systemd/system/dbus-org.freedesktop.LowMemoryMonitor.service ] || fail "the bus cannot start it"
[ -z "$(find /etc/systemd/user -name 'memwarnd*')" ] || fail "every user's daemon is enabled"

# Settings and units that an administrator has changed keep their state over an upgrade.
# The last table of the configuration is [process].
echo 'lock-memory = false' >>/etc/memwarnd/memwarnd.toml
memwarnd config show | grep -q '^lock-memory = false'
systemctl disable memwarnd-pressure.socket
dpkg -i /tmp/memwarnd.deb
grep -q '^lock-memory = false' /etc/memwarnd/memwarnd.toml || fail "the configuration was overwritten"
[ "$(systemctl is-enabled memwarnd-pressure.socket || true)" = disabled ] || fail "a socket was switched on again"

touch /etc/memwarnd/memwarnd.toml.d/50-own.toml
dpkg --remove memwarnd
[ -e /etc/memwarnd/memwarnd.toml ] || fail "the configuration is gone before a purge"
[ ! -e /usr/bin/memwarnd ] && [ ! -e /usr/libexec/memwarnd ] || fail "a program is still there"
dpkg --purge memwarnd
files >/tmp/after
# The user stays, as README.Debian describes.
left=$(comm -13 /tmp/before /tmp/after | grep -v -e '^/etc/.*-$' || true)
[ -z "$left" ] || fail "a purge leaves $left"
END

for suite; do
    echo "check: $suite" >&2
    mmdebstrap --quiet --variant=minbase --include=systemd,dbus,libstdc++6 \
        --customize-hook="upload $package /tmp/memwarnd.deb" \
        --customize-hook="upload $folder/inside.sh /tmp/inside.sh" \
        --customize-hook="chroot \"\$1\" sh /tmp/inside.sh" \
        "$suite" /dev/null
    echo "check: $suite is well" >&2
done
