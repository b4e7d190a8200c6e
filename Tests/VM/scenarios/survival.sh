#!/bin/sh
# What systemd-oomd or the kernel kills without memory warnings survives with memwarnd.
set -eu
# shellcheck source=SCRIPTDIR/../guest/lib.sh
. ./lib.sh

for killer in systemd-oomd limit machine; do
    check "$killer kills the service without warnings" is killed sh ./survive $killer silent
    check "and not with memwarnd" is survived sh ./survive $killer memwarnd
done
