#!/bin/sh
# Installs memwarnd and all files that belong to it: install.sh BIN, where BIN is the folder with the built memwarnd and memwarnctl.
#
# Environment variables set the places:
#   DESTDIR   a directory that stands for /, to make a package (default: none)
#   PREFIX    the folder for programs (default: /usr)
#   SYSCONFDIR, UNITDIR, ZSHDIR   the folders for the configuration, system units and zsh's completions, if not the usual ones
#
# An existing configuration is not changed.
set -eu

bin=${1:?a folder with the programs}
for program in memwarnd memwarnctl; do
    [ -x "$bin/$program" ] || { echo "install: there is no $bin/$program; make release builds it" >&2 && exit 1; }
done
here=$(dirname "$0")
prefix=${PREFIX:-/usr}
root=${DESTDIR:-}
sysconfdir=${SYSCONFDIR:-/etc}
units=${UNITDIR:-$prefix/lib/systemd/system}
zsh=${ZSHDIR:-$prefix/share/zsh/site-functions}

# Copies a file to a folder, and adapts the paths in units if programs are elsewhere.
put() {
    mkdir -p "$root$2"
    sed "s|/usr/bin/memwarnd|$prefix/bin/memwarnd|g" "$here/$1" >"$root$2/$(basename "$1")"
    chmod 644 "$root$2/$(basename "$1")"
}

install -D -m 755 "$bin/memwarnd" "$root$prefix/bin/memwarnd"
# Not in PATH: memwarnd executes it, and finds it by this path relative to its own folder.
install -D -m 755 "$bin/memwarnctl" "$root$prefix/libexec/memwarnd/memwarnctl"

for unit in "$here"/systemd/system/*; do
    put "systemd/system/$(basename "$unit")" "$units"
done
for unit in "$here"/systemd/user/*; do
    put "systemd/user/$(basename "$unit")" "$prefix/lib/systemd/user"
done
put systemd/sysusers.d/memwarnd.conf "$prefix/lib/sysusers.d"
put systemd/tmpfiles.d/memwarnd.conf "$prefix/lib/tmpfiles.d"
put systemd/catalog/memwarnd.catalog "$prefix/lib/systemd/catalog"
# Not below PREFIX, since the bus looks for system policies only here.
put dbus/memwarnd.conf /usr/share/dbus-1/system.d
put dbus/org.freedesktop.LowMemoryMonitor.service /usr/share/dbus-1/system-services

# The unit requests the profile, and runs without it if it is not loaded.
put apparmor/memwarnd "$sysconfdir/apparmor.d"

mkdir -p "$root$sysconfdir/memwarnd/memwarnd.toml.d"
if [ ! -e "$root$sysconfdir/memwarnd/memwarnd.toml" ]; then
    put memwarnd.toml "$sysconfdir/memwarnd"
fi

"$here/man/pages.sh" "$root$prefix/share/man"

# The program generates the script, since it knows its options best.
completion() {
    mkdir -p "$root$(dirname "$2")"
    # Removes the first line, since the script is not executed directly.
    "$bin/memwarnd" --generate-completion-script "$1" | sed "1{/^#!/d;}" >"$root$2"
    chmod 644 "$root$2"
}
completion bash "$prefix/share/bash-completion/completions/memwarnd"
completion zsh "$zsh/_memwarnd"
completion fish "$prefix/share/fish/vendor_completions.d/memwarnd.fish"

if [ -z "$root" ]; then
    cat <<END
memwarnd is installed. To start it:
  systemd-sysusers && systemd-tmpfiles --create memwarnd.conf && journalctl --update-catalog
  ! aa-enabled --quiet || apparmor_parser --replace $sysconfdir/apparmor.d/memwarnd
  systemctl daemon-reload && systemctl reload dbus
  systemctl enable --now memwarnd.socket memwarnd-pressure.socket memwarnd.service
END
fi
