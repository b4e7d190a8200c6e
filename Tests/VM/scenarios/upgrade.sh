#!/bin/sh
# An earlier release is upgraded, and installed again, with 200 hosts of two libraries; Tests/VM/upgrade runs it.
set -eu
# shellcheck source=SCRIPTDIR/../guest/lib.sh
. ./lib.sh

each=50
hosts=$((4 * each))

crowd() { # NAME USER PROGRAM: $each hosts of a user
    start "$1" --uid="$2" sh -c "for host in \$(seq $each); do \
        $PWD/bin/$3 --name $1 --pictures 1 --mib 1 --cache-mib 0 & done; wait"
}
# all_here [PID]: whether all hosts are registered with a daemon other than PID.
all_here() { python3 awaited_hosts.py $((hosts + 1)) "$@"; }
stored() { systemctl show --property=NFileDescriptorStore --value memwarnd.service; }
descriptors_are() { # NUMBER
    soon is "$1" stored
}
of() { # NAME...: the registrations of these hosts, a line each; they stay the same as long as none is lost
    for crowd; do
        status ".hosts[] | select(.state == \"registered\" and .name == \"$crowd\") | \"\(.id) \(.name) \(.pid)\""
    done | sort
}
are() { # FILE NAME...: whether the registrations of these hosts are those in the file
    file=$1
    shift
    of "$@" >"$scratch/now"
    diff "$file" "$scratch/now"
}

# answers WHAT: every host answers a critical round, and the program at the pressure socket is warned.
answers() {
    heard=$(count listener '^warned')
    check "$1: all hosts answer a critical round" memwarnd simulate --level critical --deadline 60s
    round=$(status '.rounds | max_by(.id) | "\(.answered) of \(.hosts) answered in \(.durationSeconds) s"')
    echo "# $1: $round"
    check "$1: which are $hosts" is "$hosts of $((hosts + 1)) answered" echo "${round% in *}"
    check "$1: the program at the pressure socket hears it" soon more "$heard" count listener '^warned'
}

# replace WHAT COMMAND...: the command replaces the daemon; all hosts have to be registered within 5 s of its start.
replace() {
    step=$1
    shift
    pid=$(daemon_pid)
    began=$(date +%s)
    all_here "$pid" >"$scratch/hosts" 2>&1 &
    waiting=$!
    check "$step" "$@"
    check "$step: another process is the daemon" soon replaced "$pid"
    check "$step: all hosts are there" wait $waiting
    echo "# $step: $(cat "$scratch/hosts") of $((hosts + 1))"
    check "$step: within 5 s of its start" [ "$(sed -nE 's/.* after ([0-9]+) ms$/\1/p' "$scratch/hosts")" -lt 5000 ]
    check "$step: it can keep them all" refuse in_log 'cannot keep' "$began"
}

check "the earlier release can be installed" dpkg --install ./old.deb
check "its service is up" systemctl is-active memwarnd.service
start listener python3 -u pressure_listener.py
crowd old-root root old-gallery
crowd old-user tester old-gallery
crowd new-root root gallery
crowd new-user tester gallery
check "hosts of both libraries register with it" all_here
check "it has two descriptors of each stored, and its state" descriptors_are $((2 * (hosts + 1) + 1))
answers "the earlier release"

of old-root old-user new-root new-user >"$scratch/all"
replace "an upgrade" dpkg --install ./memwarnd.deb
check "an upgrade: none has registered anew" are "$scratch/all" old-root old-user new-root new-user
check "an upgrade: all stored descriptors are known" refuse in_log 'closed unknown descriptors' "$began"
answers "an upgrade"

# This release stores the next hosts in its own way.
systemctl stop vm-old-user.service vm-new-user.service
check "hosts that leave are forgotten" soon is $((2 * each + 1)) status '.hosts | length'
crowd old-user tester old-gallery
crowd new-user tester gallery
check "hosts of both libraries register" all_here
# Each after half a minute, ten a second. Beside the two files: two descriptors of each earlier host, one of each new one.
check "they are stored" descriptors_are $((2 * (2 * each + 1) + 2 * each + 2))
of old-root old-user new-root new-user >"$scratch/all"
replace "a restart" systemctl restart memwarnd.service
check "a restart: none has registered anew" are "$scratch/all" old-root old-user new-root new-user
answers "a restart"

of old-root new-root >"$scratch/understood"
of old-user new-user >"$scratch/others"
replace "the way back" dpkg --install ./old.deb
# Releases before this one use the second wording.
check "the way back: it reports unknown descriptors" in_log '(had kept|nobody understands): .*hosts' "$began"
check "the way back: what it understands has not registered anew" are "$scratch/understood" old-root new-root
anew() { of old-user new-user | sort - "$scratch/others" | uniq -u | wc -l; }
check "the way back: all others have" is $((4 * each)) anew
check "the way back: it has all stored" descriptors_are $((2 * (hosts + 1) + 1))
answers "the way back"

check "the program at the pressure socket was never let go of" is 0 count listener '^closed'
