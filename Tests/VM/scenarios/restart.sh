#!/bin/sh
# After a restart, an upgrade, a crash and a trap of the daemon no host registers again, and each gets the next warning.
set -eu
# shellcheck source=SCRIPTDIR/../guest/lib.sh
. ./lib.sh

start_gallery
start listener python3 -u pressure_listener.py
check "a program is at the pressure socket" soon more 1 status '.hosts | length'
# They are stored after half a minute, beside two files.
check "their connections are stored" soon more 3 systemctl show --property NFileDescriptorStore --value memwarnd.service
registered=$(registrations)
origins=$(count gallery '^origin')

# stays WHAT: the earlier hosts are still registered, have not noticed anything, and can be warned.
stays() {
    check "$1: all are registered as before" soon is "$registered" registrations
    check "$1: the gallery did not lose its daemon" is "$origins" count gallery '^origin'
    warned=$(count gallery '^warning')
    heard=$(count listener '^warned')
    check "$1: they can be warned" can_be_warned
    check "$1: the gallery is" soon more "$warned" count gallery '^warning'
    check "$1: and the program at the pressure socket" soon more "$heard" count listener '^warned'
}

pid=$(daemon_pid)
systemctl restart memwarnd.service
check "a restart: it is another process" replaced "$pid"
stays "a restart"

pid=$(daemon_pid)
check "an upgrade: the package can be installed again" dpkg --install ./memwarnd.deb
check "an upgrade: it is another process" soon replaced "$pid"
stays "an upgrade"

pid=$(daemon_pid)
kill -KILL "$pid"
check "a crash: it is started again" soon replaced "$pid"
stays "a crash"

# The daemon gets no more memory, and needs some for each host of a crowd: the allocation fails, and Swift traps.
pid=$(daemon_pid)
since=$(date +%s)
prlimit --pid "$pid" --data=1
python3 -c '
import resource, socket, struct
limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
crowd = []
for number in range(3000):
    host = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    host.settimeout(5)
    host.connect("/run/memwarnd/memwarnd.sock")
    host.send(struct.pack("<BBHIQBQH", 1, 1, 0, 28, 1, 128, 0, 1) + b"x")
    crowd.append(host)
' 2>/dev/null || true
check "a trap: it is started again" soon replaced "$pid"
check "a trap: the journal says what it was" soon in_log 'internal error: ' "$since"
check "a trap: and where" in_log 'called from memwarnd\+0x[0-9a-f]+$' "$since"
stays "a trap"

check "nobody was let go of" is 0 count listener '^closed'

systemctl stop vm-gallery.service
check "systemd lets go of a host that leaves, without being told" \
    soon is 3 systemctl show --property NFileDescriptorStore --value memwarnd.service
