#!/bin/sh
# A reload applies a new configuration; a mistaken one is refused, and systemctl status reports it.
set -eu
# shellcheck source=SCRIPTDIR/../guest/lib.sh
. ./lib.sh

start_gallery
registered=$(registrations)
pid=$(daemon_pid)

configure '[sensors]' 'cgroups = ["/system.slice/vm-*.service"]'
systemctl reload memwarnd.service
check "a reload keeps the process" is "$pid" daemon_pid
start idle sleep 1000
watched() { status '[.scopes[].path] | sort | join(" ")'; }
check "and goes by the new configuration" soon is \
    "/ /system.slice/vm-gallery.service /system.slice/vm-idle.service" watched

configure '[sensors]' 'cgroup = []'
check "a reload with a mistake does not fail" systemctl reload memwarnd.service
refused() { status_text | grep -E 'refused.*vm.toml'; }
check "systemctl status says where the mistake is" soon refused
check "the old configuration stays" is "/ /system.slice/vm-gallery.service /system.slice/vm-idle.service" watched
check "the journal says it as well" journalctl --quiet --boot MESSAGE_ID=b57be21690824ddfa6b74f84c8ef75b4

unconfigure
systemctl reload memwarnd.service
check "a reload after the repair is accepted" soon refuse refused
check "and applied" soon is "/ /system.slice/vm-gallery.service" watched
check "hosts are registered as before" is "$registered" registrations
