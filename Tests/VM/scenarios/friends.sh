#!/bin/sh
# Programs that do not know memwarnd are warned: a daemon of systemd, and a program with GLib's GMemoryMonitor.
set -eu
# shellcheck source=SCRIPTDIR/../guest/lib.sh
. ./lib.sh

# systemd-logind follows $MEMORY_PRESSURE_WATCH from systemd 254 on.
if [ "$(systemctl --version | awk '{ print $2; exit }')" -ge 254 ]; then
    mkdir -p /run/systemd/system/systemd-logind.service.d
    cat >/run/systemd/system/systemd-logind.service.d/vm.conf <<'UNIT'
[Service]
MemoryPressureWatch=skip
Environment=MEMORY_PRESSURE_WATCH=/run/memwarnd/pressure.sock SYSTEMD_LOG_LEVEL=debug
# Its sandbox hides the contents of /run.
BindPaths=/run/memwarnd/pressure.sock
UNIT
    systemctl daemon-reload
    systemctl restart systemd-logind.service
    check "systemd-logind is registered by one line of its unit" soon is \
        /system.slice/systemd-logind.service status '.hosts[].scope'
    trimmed() { journalctl --quiet --boot --unit=systemd-logind.service --output=cat | grep -i 'trimm'; }
    check "it has trimmed nothing yet" refuse trimmed
    check "it can be warned" can_be_warned
    check "and trims its memory" soon trimmed
    echo "# systemd-logind: $(trimmed | tail -n 1)"
    check "it stays registered" is /system.slice/systemd-logind.service status '.hosts[].scope'
    rm -r /run/systemd/system/systemd-logind.service.d
    systemctl daemon-reload
    systemctl stop systemd-logind.service
else
    skip "systemd-logind is warned" "this systemd does not know \$MEMORY_PRESSURE_WATCH"
fi

start glib python3 -u memory_monitor.py
check "a program with GMemoryMonitor listens on D-Bus" soon says glib '^listens by GMemoryMonitorDBus'
check "and is no host" is 0 status '.hosts | length'
start_gallery
# All of the machine's memory except some 30 MiB.
free=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
start hog --property=OOMScoreAdjust=1000 python3 grow.py $((free - 30)) 64 5
check "when the machine is short of memory it is warned" soon says glib '^warned (50|100|255)'
check "and so is a host" soon says gallery '^warning .* for /:'
echo "# $(grep '^warning' /run/vm-gallery.log | head -n 1); $(grep '^warned' /run/vm-glib.log | head -n 1)"
check "the host gave back what the machine needs" soon says hog '^has grown'
