#!/bin/sh
# A user's own daemon, started by the package's user units, without any privilege.
set -eu
# shellcheck source=SCRIPTDIR/../guest/lib.sh
. ./lib.sh

as_user() {
    runuser -u tester -- env XDG_RUNTIME_DIR=/run/user/1000 HOME=/home/tester "$@"
}
own=/run/user/1000/memwarnd/memwarnd.sock
systemctl start user@1000.service
check "its socket can be started" as_user systemctl --user start memwarnd.socket
check "and is the user's alone" is "600 tester" stat --format="%a %U" $own
check "the daemon can be started" as_user systemctl --user start memwarnd.service
check "and is ready" is active as_user systemctl --user is-active memwarnd.service
user_status() { as_user env MEMWARND_SOCKET=$own memwarnd status --json | jq -r "$1"; }
check "it says how it watches without privilege" is "trigger 2" user_status \
    '.scopes[] | select(.path == "/") | "\(.rung) \(.windowSeconds)"'

as_user systemd-run --user --quiet --unit=vm-gallery --setenv=MEMWARND_SOCKET=$own "$PWD/bin/gallery"
check "a host of the user registers" soon is gallery user_status '.hosts[].name'
registered() { user_status '[.hosts[] | "\(.id) \(.name) \(.pid)"] | join(" ")'; }
before=$(registered)
check "the user can warn it" as_user env MEMWARND_SOCKET=$own memwarnd simulate --level critical --deadline 30s
# It is stored after half a minute, beside two files.
check "its connection is stored" soon more 2 \
    as_user systemctl --user show --property NFileDescriptorStore --value memwarnd.service
as_user systemctl --user restart memwarnd.service
check "it stays registered over a restart" soon is "$before" registered
check "the system's daemon knows nothing of it" is 0 status '.hosts | length'
as_user systemctl --user stop vm-gallery.service
systemctl stop user@1000.service
