#!/bin/sh
# Forbidden actions fail inside the service's sandbox, and succeed for root outside; necessary actions work inside.
set -eu
# shellcheck source=SCRIPTDIR/../guest/lib.sh
. ./lib.sh

start other sleep 1000
# A copy of the unit that differs only in the program that it runs.
unit=/run/systemd/system/vm-sandbox.service
cp attempts.py /run/attempts.py
systemctl cat memwarnd.service |
    grep -vE '^(#|Type|Exec|Restart|WatchdogSec|Sockets|Requires|Wants|WantedBy|Alias|FileDescriptor|AppArmor)' >$unit
cat >>$unit <<UNIT
[Service]
Type=oneshot
ExecStart=/usr/bin/python3 /run/attempts.py $(pid_of other)
StandardOutput=file:/run/vm-sandbox.log
UNIT
systemctl daemon-reload
check "the attempts run in the sandbox" systemctl start vm-sandbox.service
rm $unit
systemctl daemon-reload
python3 attempts.py "$(pid_of other)" >/run/vm-outside.log

check_attempts /run/vm-sandbox.log /run/vm-outside.log
