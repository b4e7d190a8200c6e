#!/bin/sh
# The package is removed and purged: its service ends, and none of its files stays.
set -eu
# shellcheck source=SCRIPTDIR/../guest/lib.sh
. ./lib.sh

start_gallery
check "it can be removed" dpkg --remove memwarnd
check "its service is gone" refuse systemctl is-active memwarnd.service
check "and its sockets" refuse ls /run/memwarnd/memwarnd.sock /run/memwarnd/pressure.sock
check "a host goes on by itself" soon says gallery '^origin .*cgroup'
check "it can be purged" dpkg --purge memwarnd
left() { find / -xdev -name '*memwarnd*' -not -path '/proc/*' -not -path '/job/*' -not -path '/var/log/*' | grep . ; }
check "nothing is left" refuse left
