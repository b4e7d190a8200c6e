#!/bin/sh
# A client that connects through either socket starts the daemon.
set -eu
# shellcheck source=SCRIPTDIR/../guest/lib.sh
. ./lib.sh

stop_daemon
check "it can be stopped without its sockets" is inactive sh -c 'systemctl is-active memwarnd.service || true'
start_gallery
check "a host that registers starts it" systemctl is-active memwarnd.service
check "and is registered" soon is gallery status '.hosts[].name'
systemctl stop vm-gallery.service

stop_daemon
start listener python3 -u pressure_listener.py
check "so does a program at the pressure socket" soon systemctl is-active memwarnd.service
check "which is registered as well" soon is "pressure socket" status '.hosts[].door'
