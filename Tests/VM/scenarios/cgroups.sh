#!/bin/sh
# The daemon releases a cgroup that is removed or whose accounting is switched off, and follows a limit that changes.
set -eu
# shellcheck source=SCRIPTDIR/../guest/lib.sh
. ./lib.sh

unit=vm-gallery.service
scope() { # FILTER
    status ".scopes[] | select(.path == \"/system.slice/$unit\") | $1"
}
busy() { # ms of processor time that the daemon uses in a second
    from=$(awk '{ print $14 + $15 }' "/proc/$(daemon_pid)/stat")
    sleep 1
    to=$(awk '{ print $14 + $15 }' "/proc/$(daemon_pid)/stat")
    echo $(((to - from) * 10))
}

start_gallery --property=MemoryHigh=400M
check "the limit of a unit is known" is $((400 << 20)) scope .limit.bytes
systemctl set-property --runtime $unit MemoryHigh=300M
check "a limit that moves is followed at the next look" soon is $((300 << 20)) scope .limit.bytes

if [ -e "$system_slice/$unit/cgroup.pressure" ]; then
    echo 0 >"$system_slice/$unit/cgroup.pressure"
    check "a cgroup whose accounting is off is watched in another way" soon refuse is "privileged trigger" scope .rung
    echo "# then by: $(scope '"\(.rung), \(.rungReason)"')"
    check "the journal says so" journalctl --quiet --boot MESSAGE_ID=5b4d07973e4c4646bf0e65aded872dd9
    check "its host stays registered" is gallery status '.hosts[].name'
    check "and the daemon does not spin" refuse more 100 busy
    check "it can be warned" can_be_warned
else
    skip "a cgroup whose accounting is off is watched in another way" "this kernel has no cgroup.pressure"
fi

systemctl stop $unit
check "a cgroup that is gone is forgotten" soon is / status '.scopes[].path'
check "with its host" is 0 status '.hosts | length'
check "and the daemon does not spin" refuse more 100 busy
