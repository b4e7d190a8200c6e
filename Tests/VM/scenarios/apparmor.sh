#!/bin/sh
# Under AppArmor the daemon does its work, and the profile forbids even actions that the sandbox would allow.
set -eu
# shellcheck source=SCRIPTDIR/../guest/lib.sh
. ./lib.sh

if ! aa-enabled --quiet; then
    skip "the profile is in force" "the kernel has no AppArmor"
    exit
fi
check "the profile is in force" grep -x 'memwarnd (enforce)' "/proc/$(daemon_pid)/attr/current"
start_gallery
memwarnd simulate --cgroup /system.slice/vm-gallery.service --level critical >/dev/null
check "a service is warned, and answers" soon says gallery '^released [0-9]'
check "the configuration is read again" systemctl reload memwarnd.service
before=$(daemon_pid)
systemctl restart memwarnd.service
check "hosts stay over a restart" soon replaced "$before"
check "and the service is still there" soon more 0 status '[.hosts[] | select(.name == "gallery")] | length'
# This includes all scenarios before this one.
denied() { journalctl --quiet --boot --dmesg --output=cat | grep -E 'apparmor="DENIED".*profile="memwarnd"'; }
check "nothing was denied to the daemon since the boot" refuse denied

start other sleep 1000
# The same rules, for a program that tries them.
cp attempts.py /run/attempts.py
sed -e 's/^profile memwarnd /profile vm-attempts /' -e '/^  include <abstractions\/base>/a \
  include <abstractions/python>\
  /usr/bin/python3* mrix,\
  /run/attempts.py r,' /etc/apparmor.d/memwarnd >"$scratch/profile"
check "the rules can be loaded for another program" apparmor_parser --replace --skip-cache "$scratch/profile"
aa-exec --profile=vm-attempts -- /usr/bin/python3 /run/attempts.py "$(pid_of other)" profile >/run/vm-confined.log
python3 attempts.py "$(pid_of other)" profile >/run/vm-outside.log
check_attempts /run/vm-confined.log /run/vm-outside.log
