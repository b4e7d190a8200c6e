#!/bin/sh
# Runs memwarnd and two services as containers of one machine, without a container runtime: container.sh BIN, where BIN contains
# memwarnd, memwarnctl and gallery. Needs root. mmdebstrap makes the root file system once, from the packages of
# packaging/oci/Containerfile, and keeps it in .build/fleet.
# The inner shell expands the words in single quotes.
# shellcheck disable=SC2016
set -eu

here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$1" && pwd)
cd "$here/../.."
[ "$(id -u)" = 0 ] || { echo "container: namespaces as a container runtime makes them take root" >&2; exit 77; }
"$here/deps.sh" mmdebstrap=mmdebstrap jq=jq

say() { echo "container: $*"; }
fail() { say "$*"; exit 1; }

# --- the image

packages=$(sed -n 's/^ARG PACKAGES="\(.*\)"/\1/p' packaging/oci/Containerfile)
image=$PWD/.build/fleet/image
if [ "$(cat "$image.packages" 2>/dev/null)" != "$packages" ]; then
    say "making a root file system of bookworm with $packages"
    rm -rf "$image" "$image.packages"
    mkdir -p "$(dirname "$image")"
    mmdebstrap --quiet --variant=minbase --include="$(echo "$packages" | tr ' ' ',')" bookworm "$image"
    mkdir -p "$image/sys/fs/cgroup" "$image/run/memwarnd"
    echo "$packages" >"$image.packages"
fi
install -m 755 "$bin/memwarnd" "$bin/gallery" "$image/usr/bin/"
install -D -m 755 "$bin/memwarnctl" "$image/usr/libexec/memwarnd/memwarnctl"
install -D -m 644 packaging/oci/container.toml "$image/etc/memwarnd/memwarnd.toml.d/00-container.toml"

# --- the machine: a directory for sockets, and cgroups as a kubelet creates them

dir=$(mktemp -d /tmp/memwarnd-container.XXXXXX)
mkdir "$dir/run"
mount=$(awk '{ for (i = 7; i < NF; i++) if ($i == "-" && $(i + 1) == "cgroup2") { print $5; exit } }' /proc/self/mountinfo)
[ -n "$mount" ] || fail "no cgroup v2 hierarchy is mounted"
pods=/memwarnd-pods-$$
started=''

members() { cat "$mount$pods/$1/box/cgroup.procs" 2>/dev/null || true; }
end() { # POD: ends all its processes
    for pid in $(members "$1"); do kill -KILL "$pid" 2>/dev/null || true; done
    for _ in $(seq 50); do
        [ -n "$(members "$1")" ] || return 0
        sleep 0.1
    done
}
finish() {
    status=$?
    trap - EXIT INT TERM
    for pod in daemon plain mapped; do end "$pod"; done
    for pid in $started; do wait "$pid" 2>/dev/null || true; done
    for cgroup in daemon/box plain/box mapped/box daemon plain mapped .; do
        rmdir "$mount$pods/$cgroup" 2>/dev/null || true
    done
    rmdir "$mount$pods" 2>/dev/null || true
    if [ "$status" != 0 ]; then tail -n 40 "$dir"/*.log; fi
    rm -rf "$dir"
    exit "$status"
}
trap finish EXIT
trap 'exit 1' INT TERM
for pod in daemon plain mapped; do mkdir -p "$mount$pods/$pod/box"; done

# The work of a runtime before the program begins: ROOT HIERARCHY SOCKETS COMMAND..., where the hierarchy is the machine's or the
# container's own, and the directory of sockets is rw or ro.
cat >"$dir/enter" <<'ENTER'
set -eu
image=$1 root=$2 hierarchy=$3 run=$4 sockets=$5
shift 5
mount --make-rprivate /
mount --bind "$image" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
for part in bus fs irq sys sysrq-trigger; do
    [ -e "$root/proc/$part" ] || continue
    mount --bind "$root/proc/$part" "$root/proc/$part"
    mount -o remount,bind,ro "$root/proc/$part"
done
if [ "$hierarchy" = machine ]; then
    mount --rbind /sys/fs/cgroup "$root/sys/fs/cgroup"
else
    mount -t cgroup2 none "$root/sys/fs/cgroup"
    mount -o remount,bind,ro "$root/sys/fs/cgroup"
fi
mount --bind "$run" "$root/run/memwarnd"
mount -o "remount,bind,$sockets" "$root/run/memwarnd"
# The old root is now on top of the new one, and is unmounted; a chroot would forbid user namespaces.
cd "$root"
pivot_root . .
umount -l .
cd /
exec "$@"
ENTER

box() { # POD NAMESPACES HIERARCHY SOCKETS COMMAND...
    pod=$1 namespaces=$2 hierarchy=$3 sockets=$4
    shift 4
    mkdir -p "$dir/$pod"
    # The list of namespaces has to be split into words.
    # shellcheck disable=SC2086
    sh -c 'echo $$ >"$0/cgroup.procs"; exec unshare "$@"' "$mount$pods/$pod/box" \
        $namespaces --mount --cgroup --net --ipc --uts sh "$dir/enter" "$image" "$dir/$pod" "$hierarchy" "$dir/run" "$sockets" "$@" >>"$dir/$pod.log" 2>&1 &
    started="$started $!"
}

# Debian's setpriv refuses to keep a capability that it does not have.
capabilities=-all,+dac_override
bounding=$(sed -n 's/^CapBnd:\t*//p' /proc/self/status)
if [ $((0x$bounding >> 24 & 1)) = 1 ]; then capabilities=$capabilities,+sys_resource; fi
if [ $((0x$bounding >> 14 & 1)) = 1 ]; then capabilities=$capabilities,+ipc_lock; fi

as_root="setpriv --bounding-set=$capabilities --no-new-privs"
as_nobody="setpriv --reuid=65532 --regid=65532 --clear-groups --bounding-set=-all --no-new-privs"

status() { "$bin/memwarnd" status --json --socket "$dir/run/memwarnd.sock" 2>/dev/null || echo '{}'; }
host() { status | jq -r --arg name "$1" ".hosts[]? | select(.name == \$name) | .$2"; }
scope() { status | jq -r --arg path "$1" ".scopes[]? | select(.path == \$path) | .$2"; }
until_registered() {
    for _ in $(seq 200); do
        [ "$(status | jq -r '[.hosts[]?.name] | sort | join(" ")')" = "mapped plain" ] && return
        sleep 0.1
    done
    fail "the services have not registered: $(status)"
}
start() { # AS NAMESPACES
    end daemon
    rm -f "$dir/run"/*
    # The words of the command that changes the user have to be split.
    # shellcheck disable=SC2086
    box daemon "$2" machine rw $1 memwarnd run
    until_registered
}
inside() { # COMMAND...: in the daemon's container, as kubectl exec does
    nsenter --target "$(members daemon | tail -1)" --mount --cgroup --pid --root --wd "$@"
}
doctor() { inside memwarnd doctor --json | jq -r --arg check "$1" '.findings[] | select(.check == $check).state'; }
expect() { # WHAT FOUND WANTED
    # This is a pattern on purpose.
    # shellcheck disable=SC2254
    case "$2" in
    $3) say "  $1: $2" ;;
    *) fail "$1: $2, and not $3 as it should be" ;;
    esac
}

# --- the services: one with its own pids, one in a user namespace as well; neither may write to the sockets' directory

box plain "--pid --fork --kill-child" own ro setpriv --reuid=1000 --regid=1000 --clear-groups --bounding-set=-all \
    --no-new-privs gallery --name plain
box mapped "--pid --fork --kill-child" own ro sh -c '
    unshare --user sleep infinity &
    while [ "$(readlink /proc/$!/ns/user)" = "$(readlink /proc/self/ns/user)" ]; do sleep 0.1; done
    echo 0 100000 65536 >/proc/$!/gid_map
    echo 0 100000 65536 >/proc/$!/uid_map
    exec nsenter --target $! --user --setuid 0 --setgid 0 gallery --name mapped'

say "with the machine's pids, as root with $capabilities"
start "$as_root" ""
pid=$(host plain pid)
expect "who has plain's pid on the machine" "$(cat "/proc/$pid/comm")" gallery
expect "its user" "$(host plain uid)" 1000
expect "its cgroup" "$(host plain scope)" "$pods/plain/box"
expect "watched by" "$(scope "$pods/plain/box" rung)" "*trigger"
expect "mapped, root in its user namespace, has the user" "$(host mapped uid)" 100000
expect "its cgroup" "$(host mapped scope)" "$pods/mapped/box"
inside memwarnd status --limit 0 >/dev/null || fail "the health check fails"
expect "the doctor's word on pids" "$(doctor processes)" good
inside memwarnd simulate --level critical --expect-freed 64M || fail "a simulated warning went wrong"
expect "lines of plain's log that say so" "$(grep -c '^released' "$dir/plain.log")" 1

say "started anew, with the directory of the socket shared, not the socket"
start "$as_root" ""
expect "the cgroup of plain" "$(host plain scope)" "$pods/plain/box"

say "with pids of its own"
start "$as_root" "--pid --fork --kill-child"
expect "the pid of plain" "$(host plain pid)" 0
expect "its cgroup" "$(host plain scope)" /
expect "the doctor's word on pids" "$(doctor processes)" degraded
inside memwarnd simulate --level critical || fail "a simulated warning went wrong"

say "with the machine's pids, as nobody"
chown 65532:65532 "$dir/run"
start "$as_nobody" ""
expect "the cgroup of plain" "$(host plain scope)" "$pods/plain/box"
expect "watched by" "$(scope "$pods/plain/box" rung)" polling
expect "the machine is watched by" "$(scope / rung)" trigger
# The daemon's own user may warn all hosts, as root may.
inside setpriv --reuid=65532 --regid=65532 --clear-groups memwarnd simulate --level critical ||
    fail "a simulated warning went wrong"
say "all is well"
