#!/bin/sh
# The package is installed, the service is up at once, and the doctor finds nothing to improve.
set -eu
# shellcheck source=SCRIPTDIR/../guest/lib.sh
. ./lib.sh

each() { # VERB UNIT...: succeeds if systemctl confirms this for each
    verb=$1
    shift
    for unit; do systemctl "$verb" "$unit" || return; done
}

check "the package can be installed" dpkg --install ./memwarnd.deb
check "the service is up" systemctl is-active memwarnd.service
check "and its sockets are" each is-active memwarnd.socket memwarnd-pressure.socket
check "both start with the machine" each is-enabled memwarnd.service memwarnd.socket memwarnd-pressure.socket
check "it runs as its own user" is memwarnd ps -o user= -p "$(daemon_pid)"
check "all unit files are in order" systemd-analyze verify --man=no \
    memwarnd.service memwarnd.socket memwarnd-pressure.socket
check "the host is watched by privileged triggers" is "privileged trigger" \
    status '.scopes[] | select(.path == "/").rung'
locked() { awk '/^VmLck:/ { print $2 }' "/proc/$(daemon_pid)/status"; }
check "its memory is locked" more 1000 locked
shut() {
    doors=$(status .doors) || return 0
    echo "$doors" | grep -iE 'closed|off|refused|waiting'
}
check "all doors are open" soon refuse shut
check "the service may do little" sh -c \
    "systemd-analyze security --no-pager memwarnd.service |
    awk '/Overall exposure/ { print; exit !(\$(NF - 2) <= 1.5) }'"

# Without swap a machine has something to improve.
modprobe zram
echo 64M >/sys/block/zram0/disksize
mkswap /dev/zram0 >/dev/null
swapon /dev/zram0
check "with swap the doctor finds nothing to complain of" memwarnd doctor
swapoff /dev/zram0
