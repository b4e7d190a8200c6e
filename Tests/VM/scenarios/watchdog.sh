#!/bin/sh
# systemd's watchdog kills and restarts a daemon that hangs, which keeps its hosts.
set -eu
# shellcheck source=SCRIPTDIR/../guest/lib.sh
. ./lib.sh

check "the unit has a watchdog" refuse is 0 systemctl show --value --property=WatchdogUSec memwarnd.service
mkdir -p /run/systemd/system/memwarnd.service.d
printf '[Service]\nWatchdogSec=4s\n' >/run/systemd/system/memwarnd.service.d/vm.conf
systemctl daemon-reload
systemctl restart memwarnd.service
start_gallery
# It is stored after half a minute, beside two files.
check "its connection is stored" soon more 2 systemctl show --property NFileDescriptorStore --value memwarnd.service
registered=$(registrations)
origins=$(count gallery '^origin')
pid=$(daemon_pid)

# Two periods in which the daemon only feeds the watchdog.
sleep 8
check "a daemon that works is left alone" is "$pid" daemon_pid
kill -STOP "$pid"
check "one that hangs is replaced" soon replaced "$pid"
check "the journal says why" in_log 'Watchdog timeout|watchdog'
check "its hosts are registered as before" soon is "$registered" registrations
check "and did not lose it" is "$origins" count gallery '^origin'

rm /run/systemd/system/memwarnd.service.d/vm.conf
systemctl daemon-reload
systemctl restart memwarnd.service
