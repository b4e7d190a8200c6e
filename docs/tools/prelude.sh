# Prepares the shell for the blocks of a document. They end at the first command that fails. Commands that belong to CI itself or to
# another machine are not run.
# shellcheck shell=bash
set -eu
trap 'echo "failed in line $LINENO: $BASH_COMMAND" >&"$REPORTS"' ERR

# CI runs these; here it is sufficient that the target exists.
make() {
    command make -n -C "$ROOT" "$@" >/dev/null
    echo "make $*" >>"$ELSEWHERE"
}
swift() {
    case $1 in
    build | test) echo "swift $*" >>"$ELSEWHERE" ;;
    *) command swift "$@" ;;
    esac
}

# A block with one of these commands needs a mark with the reason why it is not run.
forbidden() {
    # Writes a report, since a failure inside a pipe alone would go unnoticed.
    echo "$1 is not for this machine: put <!-- check: REASON --> before the block" >&"$REPORTS"
    return 1
}
sudo() { forbidden sudo; }
systemctl() { forbidden systemctl; }
journalctl() { forbidden journalctl; }
apt() { forbidden apt; }
apt-get() { forbidden apt-get; }
dpkg() { forbidden dpkg; }
kubectl() { forbidden kubectl; }
docker() { forbidden docker; }
podman() { forbidden podman; }

# Starts a daemon that no real pressure reaches, and a host with this name.
daemon_with() {
    cat >"$TMPDIR/calm.toml" <<'TOML'
[levels]
warning = 100
warning-windows = 60
critical = 100
critical-full = 100
headroom = 0.02
headroom-critical = 0.01
TOML
    memwarnd run --config "$TMPDIR/calm.toml" >"$TMPDIR/daemon.log" 2>&1 &
    gallery --name "$1" --pictures 2 --mib 4 >"$TMPDIR/host.log" 2>&1 &
    for _ in {1..200}; do
        if grep -q 'origin daemon' "$TMPDIR/host.log"; then return; fi
        sleep 0.05
    done
    echo "no host registered:"
    cat "$TMPDIR/daemon.log" "$TMPDIR/host.log"
    return 1
}
