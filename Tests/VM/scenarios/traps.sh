#!/bin/sh
# A daemon traps at each start: systemd gives up neither it nor its sockets, and it serves once it is repaired.
set -eu
# shellcheck source=SCRIPTDIR/../guest/lib.sh
. ./lib.sh

start_gallery
# It is stored after half a minute, beside two files.
check "a host's connection is stored" soon more 2 systemctl show --property NFileDescriptorStore --value memwarnd.service
registered=$(registrations)
origins=$(count gallery '^origin')

folder=/run/systemd/system/memwarnd.service.d
mkdir -p $folder
# With the daemon's confinement a shell could not even start, and in a guest without KVM the sandbox takes seconds to set up. From
# systemd 254 on the pauses grow to ten seconds: 50 of them would take minutes.
cat >$folder/vm.conf <<'UNIT'
[Service]
ExecStart=
ExecStart=/bin/sh -c 'kill -ILL $$$$'
AppArmorProfile=
PrivateDevices=no
PrivateMounts=no
PrivateNetwork=no
PrivateTmp=no
ProtectClock=no
ProtectHome=no
ProtectHostname=no
ProtectKernelLogs=no
ProtectKernelModules=no
ProtectKernelTunables=no
ProtectSystem=no
InaccessiblePaths=
ReadOnlyPaths=
SystemCallFilter=
RestartMaxDelaySec=200ms
UNIT
systemctl daemon-reload
systemctl --no-block restart memwarnd.service
restarts() { systemctl show --value --property=NRestarts memwarnd.service; }
# A new client at each socket: one registers, the other only waits.
start listener python3 -u pressure_listener.py
start second "$PWD/bin/gallery" --name second --visit-ms 200
# Allow the time that this takes in a guest.
for _ in 1 2 3 4; do soon more 50 restarts >/dev/null && break; done
check "it is started 50 times" more 50 restarts
check "its sockets are there" systemctl is-active memwarnd.socket memwarnd-pressure.socket

rm $folder/vm.conf
systemctl daemon-reload
check "mended, it is up" soon systemctl is-active memwarnd.service
here() { status '[.hosts[] | select(.state == "registered") | .name] | sort | join(" ")'; }
check "who came meanwhile is registered, beside who was there" soon is "gallery python3 second" here
was_there() { registrations | grep -F "$registered"; }
check "who was there did not register anew" was_there
check "and did not lose it" is "$origins" count gallery '^origin'
check "all can be warned" can_be_warned

# A file with a mistake must not prevent the start.
configure '[levels]' 'fall = 0'
pid=$(daemon_pid)
check "with a mistake in the configuration it starts" systemctl restart memwarnd.service
check "as another process" soon replaced "$pid"
left_out() { status_text | grep -E 'left out as a whole: .*vm\.toml:2: levels\.fall'; }
check "systemctl status says which file is left out, and why" soon left_out
check "so does the journal" in_log 'left out as a whole: .*vm\.toml:2: levels\.fall'
check "who came by the native socket is registered" soon is "gallery second" here
start waiting python3 -u pressure_listener.py
unconfigure
systemctl reload memwarnd.service
check "after the repair nothing is left out" soon refuse left_out
check "and who waited at the pressure socket is registered" soon is "gallery python3 second" here
