# Functions that scenarios share; each scenario sources this in the guest, after `set -eu`.
# shellcheck shell=sh disable=SC2034

name=$(basename "$0" .sh)
scratch=$(mktemp -d "/run/$name.XXXXXX")
failures=0

finish() {
    status=$?
    [ "$status" = 0 ] || not_ok "ran to its end"
    [ "$failures" = 0 ] || tail -n 20 /run/vm-*.log 2>/dev/null | sed 's/^/#   /'
    rm -f /run/vm-*.log
    # The units that a scenario starts have names that begin with vm-.
    systemctl --quiet stop 'vm-*' 2>/dev/null || true
    systemctl --quiet reset-failed 'vm-*' 2>/dev/null || true
    rm -rf "$scratch"
    [ "$failures" = 0 ]
}
trap finish EXIT
trap 'exit 143' TERM

not_ok() { # WHAT
    echo "not ok - $name: $1"
    failures=$((failures + 1))
}

# check WHAT COMMAND...: reports whether the command succeeds, and its output if it does not.
check() {
    what=$1
    shift
    if "$@" >"$scratch/check" 2>&1; then
        echo "ok - $name: $what"
    else
        not_ok "$what"
        sed 's/^/#   /' "$scratch/check"
    fi
}

# skip WHAT WHY
skip() {
    echo "ok - $name: $1 # SKIP $2"
}

# soon COMMAND...: succeeds as soon as the command does. It has a minute; a correct command needs seconds, even on a busy machine.
soon() {
    deadline=$(($(date +%s) + 60))
    until "$@" >"$scratch/soon" 2>&1; do
        if [ "$(date +%s)" -gt $deadline ]; then
            cat "$scratch/soon"
            return 1
        fi
        sleep 0.1
    done
}

refuse() { # COMMAND...: succeeds if the command fails
    ! "$@"
}

# is EXPECTED COMMAND...: succeeds if the command prints exactly that.
is() {
    expected=$1
    shift
    printed=$("$@") || return
    [ "$printed" = "$expected" ] || { echo "$printed, and not $expected" && false; }
}

# more THAN COMMAND...: succeeds if the command prints a larger number.
more() {
    bound=$1
    shift
    printed=$("$@") || return
    [ "$printed" -gt "$bound" ] || { echo "$printed, and not more than $bound" && false; }
}

# --- the daemon

status() { # FILTER: of jq, applied to the output of memwarnd status
    memwarnd status --json | jq -r "$1"
}

# The sockets stay, which makes systemctl print a warning.
stop_daemon() {
    systemctl stop memwarnd.service 2>/dev/null
}

daemon_pid() {
    systemctl show --value --property=MainPID memwarnd.service
}

status_text() {
    systemctl show --value --property=StatusText memwarnd.service
}

# The daemon is a process other than PID, and ready.
replaced() { # PID
    now=$(daemon_pid)
    echo "$now is it, $1 was it, $(systemctl is-active memwarnd.service)"
    [ "$now" != 0 ] && [ "$now" != "$1" ] && systemctl --quiet is-active memwarnd.service
}

# The registered hosts on one line, which stays the same as long as no host comes or goes.
registrations() {
    status '[.hosts[] | select(.state == "registered") | "\(.id) \(.name) \(.pid) \(.door)"] | sort | join(", ")'
}

in_log() { # PATTERN [SINCE]: in what memwarnd.service has written to the journal since then, or since the boot
    journalctl --quiet --boot --unit=memwarnd.service --output=cat --since="@${2:-0}" | grep -E "$1"
}

configure() { # TOML...: lines of a drop-in
    mkdir -p /etc/memwarnd/memwarnd.toml.d
    printf '%s\n' "$@" >/etc/memwarnd/memwarnd.toml.d/vm.toml
}

unconfigure() {
    rm -f /etc/memwarnd/memwarnd.toml.d/vm.toml
}

# --- hosts

system_slice=/sys/fs/cgroup/system.slice

# start NAME [systemd-run's OPTION...] COMMAND...: starts vm-NAME.service, whose output goes to a file that `says` reads.
start() {
    new=vm-$1
    shift
    : >"/run/$new.log"
    systemd-run --quiet --unit="$new" --working-directory="$PWD" \
        --property=StandardOutput="append:/run/$new.log" "$@"
}

says() { # NAME PATTERN: succeeds if vm-NAME.service has written a line like this
    grep -E "$2" "/run/vm-$1.log" || { cat "/run/vm-$1.log" && false; }
}

count() { # NAME PATTERN: the number of these lines
    grep -cE "$2" "/run/vm-$1.log" || true
}

pid_of() { # NAME
    systemctl show --value --property=MainPID "vm-$1.service"
}

resident() { # PID: in MiB
    awk '/^VmRSS:/ { print int($2 / 1024) }' "/proc/$1/status"
}

# start_gallery [systemd-run's OPTION...]: a host with 8 pictures of 16 MiB, 1 of which is shown, and a cache of 32.
start_gallery() {
    start gallery "$@" "$PWD/bin/gallery" --visit-ms 200
    soon says gallery '^origin daemon' >/dev/null
}

# Whether all hosts are warned and answer; on a busy machine they may need more time than the daemon's own deadline.
can_be_warned() {
    memwarnd simulate --level warning --deadline 30s
}

# inside CGROUP COMMAND...: runs the command as a process of this cgroup.
inside() {
    # shellcheck disable=SC2016
    sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$@"
}

# check_attempts INSIDE OUTSIDE: checks the output of attempts.py where it is confined, and where it is not.
check_attempts() {
    check "root can do each of them outside, so that it is the confinement that forbids" \
        refuse grep -E '^(forbidden|required): cannot' "$2"
    for kind in forbidden required; do
        can=can
        [ $kind = required ] || can=cannot
        sed -nE "s/^$kind: (can|cannot) ([^(]*[^ (]).*/\2/p" "$1" >"$scratch/$kind"
        while read -r what; do
            check "$can $what" grep -F "$kind: $can $what" "$1"
        done <"$scratch/$kind"
    done
}
