"""Attempts actions that the service must not be able to do, and those that it needs; prints the result of each.

attempts.py PID [profile]: PID is a process of another user in vm-other.service. Attempts what the unit's sandbox forbids, or the
AppArmor profile does. Run this in a guest only: outside a sandbox all of it succeeds.
"""
import ctypes
import mmap
import os
import signal
import socket
import stat
import subprocess
import sys
import time

other = sys.argv[1]
libc = ctypes.CDLL(None, use_errno=True)


def write(path):
    """Opens a file for writing, or creates it."""
    open(path, "a").close()


def call(name, *arguments):
    """Makes a system call by its function in the C library."""
    if getattr(libc, name)(*arguments) < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def setuid_file():
    path = "/tmp/attempt"
    write(path)
    os.chmod(path, stat.S_ISUID | 0o755)
    if not os.stat(path).st_mode & stat.S_ISUID:
        raise OSError("the bit was dropped")


def trace():
    call("ptrace", PTRACE_ATTACH, int(other), None, None)
    os.waitpid(int(other), 0)
    call("ptrace", PTRACE_DETACH, int(other), None, None)


def gain_privileges():
    with open("/proc/self/status") as file:
        if "NoNewPrivs:\t1" in file.read():
            raise OSError("NoNewPrivs")


def trigger(path, window):
    file = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    os.write(file, b"some %d %d\0" % (window // 10, window))
    os.close(file)


def connect(path, kind):
    with socket.socket(socket.AF_UNIX, kind) as peer:
        peer.connect(path)


def read(path):
    with open(path, "rb") as file:
        if not file.read():
            raise OSError("empty")


CLONE_NEWNET, PTRACE_ATTACH, PTRACE_DETACH, PER_LINUX32 = 0x40000000, 16, 17, 8
forbidden = {
    "write to /etc": lambda: write("/etc/attempt"),
    "write to /usr": lambda: write("/usr/attempt"),
    "write to /var/lib": lambda: write("/var/lib/attempt"),
    "read a user's files": lambda: read("/home/tester/.profile"),
    "read root's files": lambda: read("/root/.profile"),
    "read /etc/shadow": lambda: read("/etc/shadow"),
    "read what services store": lambda: read("/var/lib/dpkg/status"),
    "write a kernel parameter": lambda: write("/proc/sys/vm/swappiness"),
    "write to /sys": lambda: write("/sys/kernel/mm/transparent_hugepage/enabled"),
    "open a network socket": lambda: socket.socket(socket.AF_INET),
    "open a netlink socket": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
    "open a packet socket": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW),
    "load a kernel module": lambda: subprocess.run(["/sbin/modprobe", "dummy"], check=True, capture_output=True),
    "map memory to write and execute": lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_WRITE | mmap.PROT_EXEC),
    "trace another's process": trace,
    "read another's memory": lambda: os.close(os.open(f"/proc/{other}/mem", os.O_RDONLY)),
    "signal another's process": lambda: os.kill(int(other), signal.SIGCONT),
    "set the clock": lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()),
    "set the host's name": lambda: socket.sethostname(socket.gethostname()),
    "make a network namespace": lambda: call("unshare", CLONE_NEWNET),
    "mount a file system": lambda: call("mount", b"none", b"/tmp", b"tmpfs", 0, None)
    or call("umount", b"/tmp"),
    "become another user": lambda: subprocess.run(["true"], user=65534, check=True),
    "run at real time": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    or os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0)),
    "make a set-user-id file": setuid_file,
    "change its personality": lambda: call("personality", PER_LINUX32) or call("personality", 0),
    "make a device": lambda: os.mknod("/tmp/device", stat.S_IFCHR, os.makedev(1, 3)),
    "open the disk": lambda: os.close(os.open("/dev/vda", os.O_RDONLY)),
    "read the kernel's log": lambda: os.close(os.open("/dev/kmsg", os.O_RDONLY)),
    "change a file's owner": lambda: os.chown("/tmp", 65534, 65534) or os.chown("/tmp", 0, 0),
    "gain privileges from a program": gain_privileges,
}
required = {
    "arm a trigger of half a second on the host": lambda: trigger("/proc/pressure/memory", 500000),
    "arm one on another's cgroup": lambda: trigger("/sys/fs/cgroup/system.slice/memory.pressure", 500000),
    "read another's cgroup": lambda: read(f"/proc/{other}/cgroup"),
    "read another's memory counts": lambda: read(f"/proc/{other}/status"),
    "read a cgroup's events": lambda: read("/sys/fs/cgroup/system.slice/memory.events"),
    "read how much memory there is": lambda: read("/proc/meminfo"),
    "lock memory": lambda: call("mlockall", 1) or call("munlockall"),
    "open a socket of this host": lambda: socket.socket(socket.AF_UNIX),
}

if sys.argv[2:] == ["profile"]:
    group = "/sys/fs/cgroup/system.slice/vm-other.service"
    forbidden = {
        "set another's limit": lambda: write(f"{group}/memory.max"),
        "kill what is in another's cgroup": lambda: write(f"{group}/cgroup.kill"),
        "move processes to another cgroup": lambda: write(f"{group}/cgroup.procs"),
        "start a program": lambda: subprocess.run(["/bin/true"], check=True),
    } | {
        what: forbidden[what]
        for what in (
            "write to /etc", "read root's files", "read /etc/shadow", "write a kernel parameter", "write to /sys",
            "open a network socket", "trace another's process", "signal another's process", "mount a file system",
            "set the host's name",
        )
    }
    required |= {
        "write to the journal": lambda: connect("/run/systemd/journal/socket", socket.SOCK_DGRAM),
        "tell the service manager": lambda: connect("/run/systemd/notify", socket.SOCK_DGRAM),
        "connect to the message bus": lambda: connect("/run/dbus/system_bus_socket", socket.SOCK_STREAM),
    }

for kind, attempts in ("forbidden", forbidden), ("required", required):
    for what, attempt in attempts.items():
        try:
            attempt()
            print(f"{kind}: can {what}", flush=True)
        except (OSError, subprocess.SubprocessError) as error:
            print(f"{kind}: cannot {what} ({error})", flush=True)
