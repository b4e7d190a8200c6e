#!/bin/sh
# A service that systemd-oomd kills without memory warnings survives with memwarnd; Tests/VM/survival has the other killers.
set -eu
# shellcheck source=SCRIPTDIR/../guest/lib.sh
. ./lib.sh

check "systemd-oomd kills the service without warnings" is killed sh ./survive systemd-oomd silent
check "and not with memwarnd" is survived sh ./survive systemd-oomd memwarnd
