#!/bin/sh
# A service with MemoryHigh= under real pressure is warned, releases memory, is told when pressure is over, and loads again.
set -eu
# shellcheck source=SCRIPTDIR/../guest/lib.sh
. ./lib.sh

unit=vm-gallery.service
start_gallery --property=MemoryHigh=208M
scope() { # FILTER
    status ".scopes[] | select(.path == \"/system.slice/$unit\") | $1"
}
soon more 150 resident "$(pid_of gallery)"
before=$(resident "$(pid_of gallery)")
check "its cgroup is watched by privileged triggers" is "privileged trigger 0.5" scope '"\(.rung) \(.windowSeconds)"'
check "and its limit is known" is $((208 << 20)) scope .limit.bytes

# A file that does not fit beside its 160 MiB, nor beside the memory that it keeps. The machine stalls too and may warn it first,
# but memory released for the machine does not end the stalls of its own cgroup.
inside "$system_slice/$unit" ./bin/thrash /var/tmp/thrash 192 4 10 >/dev/null &
check "it is warned of its own cgroup" soon says gallery "^warning .* for /system.slice/$unit"
check "gives memory back" soon says gallery '^released [0-9]'
after=$(resident "$(pid_of gallery)")
echo "# $(grep -E '^warning' /run/vm-gallery.log | head -n 1)"
echo "# $before MiB resident before, $after MiB after"
check "at least half of it, says the kernel" [ "$after" -le $((before / 2)) ]
# The answers are late if the machine is busy. There are several, each with the bytes left at that time, if it is warned for both.
check "its answers are in status" soon more $((64 << 20)) status '[.rounds[].releasedBytes] | add'
check "and in the journal" soon journalctl --quiet --boot MESSAGE_ID=91566a07818847b89dcc1331c78b897b
wait
check "it hears that the pressure is over" soon says gallery '^level normal'
check "and loads again" soon says gallery 'loaded again'
high() { awk '$1 == "high" { print $2 }' "$system_slice/$unit/memory.events"; }
check "the kernel counted it at its limit" more 0 high
check "and so did the daemon" more 0 scope .highEvents
