"""Plays scripts of Tests/VM/model on this kernel, and writes the observations of each to out/SCRIPT: play.py SCRIPT...

Run this in a guest: it creates cgroups in the root, and restarts memwarnd for each script.
"""
import ctypes
import json
import mmap
import os
import random
import select
import signal
import subprocess
import sys
import time

ROOT = "/sys/fs/cgroup"
MIB = 1 << 20
PAGE = 4096
KEYS = "high", "max", "oom", "oom_kill"
tester = 1000


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def keyed(path):
    with open(path) as file:
        return dict(line.split() for line in file)


def limit_of(path, name):
    with open(f"{ROOT}{path}/{name}") as file:
        text = file.read().strip()
    return float("inf") if text == "max" else int(text)


class Cgroup:
    def __init__(self, path, settings):
        self.path = path
        self.directory = ROOT + path
        write(f"{os.path.dirname(self.directory)}/cgroup.subtree_control", "+memory")
        os.mkdir(self.directory)
        write(f"{self.directory}/memory.swap.max", "0")
        self.set(settings)

    def set(self, settings):
        for setting in settings:
            name, value = setting.split("=")
            file = "memory.swap.max" if name == "swap" else f"memory.{name}"
            write(f"{self.directory}/{file}", str(int(value) * MIB))

    def stalls(self):
        try:
            with open(f"{self.directory}/memory.pressure") as file:
                lines = file.read().split("\n")
        except OSError:
            return "-", "-"
        return tuple(line.split("total=")[1] for line in lines[:2])

    def left(self):
        """The headroom to the tightest limit up the tree, in percent."""
        least, path = None, self.path
        while path != "/":
            limit = min(limit_of(path, "memory.high"), limit_of(path, "memory.max"))
            if limit < float("inf"):
                inactive = int(keyed(f"{ROOT}{path}/memory.stat")["inactive_file"])
                used = max(0, limit_of(path, "memory.current") - inactive)
                share = 100 * max(0, limit - used) / limit
                least = share if least is None else min(least, share)
            path = os.path.dirname(path)
        return "-" if least is None else f"{least:.1f}"


def grow(mib, rate):
    """Allocates memory at a rate, and uses all of it."""
    memory = mmap.mmap(-1, mib * MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    # Not all zeros, because zram does not store those.
    block = os.urandom(PAGE) * 64
    held, begin = 0, time.monotonic()
    while True:
        wanted = min(mib * MIB, int((time.monotonic() - begin) * rate * MIB))
        while wanted - held >= len(block):
            memory[held : held + len(block)] = block
            held += len(block)
        for _ in range(16):
            if held:
                memory[random.randrange(held)] = 1
        time.sleep(0.02)


def read(path):
    """Reads a file once, and then pages of it at random."""
    file = os.open(path, os.O_RDONLY)
    while os.read(file, 1 << 16):
        pass
    size = os.fstat(file).st_size
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
    while True:
        os.pread(file, 1, random.randrange(size))


class Player:
    def __init__(self, lines, out):
        self.steps = [line.split() for line in lines if line.strip() and not line.startswith("#")]
        self.out = out
        self.began = None
        self.cgroups, self.programs, self.names = {}, {}, {}
        self.levels = {}
        self.poll = select.poll()
        self.what = {}
        self.watch = None

    # Observations.

    def note(self, text):
        self.out.write(f"{time.monotonic() - self.began:.3f} {text}\n")

    def sample(self):
        for path, cgroup in self.cgroups.items():
            some, full = cgroup.stalls()
            self.note(f"sample {path} some={some} full={full} left={cgroup.left()}")

    def count(self, path, file):
        try:
            counts = dict(line.split() for line in os.pread(file, 4096, 0).decode().splitlines())
        except OSError:
            self.forget(file)
            return
        self.note(f"events {path} " + " ".join(f"{key}={counts[key]}" for key in KEYS))

    def forget(self, file):
        self.poll.unregister(file)
        del self.what[file]
        os.close(file)

    def hear(self, file, event):
        kind, name = self.what[file]
        if kind == "events":
            self.count(name, file)
        elif kind == "levels":
            for line in os.read(file, 65536).decode().splitlines():
                try:
                    event = json.loads(line)
                except ValueError:
                    continue
                scope = event["value"] if event["event"] == "scope" else None
                if scope and self.levels.get(scope["path"], "normal") != scope["level"]:
                    self.levels[scope["path"]] = scope["level"]
                    self.note(f"level {scope['path']} {scope['level']}")
        elif event & select.POLLERR:
            self.note(f"dead {name}")
            self.forget(file)
        elif event & select.POLLPRI:
            self.note(f"fired {name}")

    def reap(self):
        for name, pid in list(self.programs.items()):
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                del self.programs[name]
                self.note(f"killed {name}" if os.WIFSIGNALED(status) else f"ended {name}")

    # Actions.

    def arm(self, name, path, line, stall, window, *rest):
        pressure = f"{ROOT}{path}/memory.pressure"
        if rest:
            # The kernel checks the privileges of the process that opens the file.
            os.chown(pressure, tester, -1)
            os.seteuid(tester)
        file = os.open(pressure, os.O_RDWR | os.O_NONBLOCK)
        os.write(file, f"{line} {stall} {window}\0".encode())
        os.seteuid(0)
        self.what[file] = "trigger", name
        self.poll.register(file, select.POLLPRI)

    def start(self, name, path, program, *arguments):
        pid = os.fork()
        if pid == 0:
            write("/proc/self/oom_score_adj", "0")
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
            write(f"{ROOT}{path}/cgroup.procs", str(os.getpid()))
            try:
                program(*arguments)
            finally:
                os._exit(1)
        self.programs[name] = pid

    def do(self, verb, *words):
        if verb == "cgroup":
            self.cgroups[words[0]] = cgroup = Cgroup(words[0], words[1:])
            file = os.open(f"{cgroup.directory}/memory.events", os.O_RDONLY)
            os.pread(file, 4096, 0)
            self.what[file] = "events", words[0]
            self.poll.register(file, select.POLLPRI)
        elif verb == "arm":
            self.arm(*words)
        elif verb == "grow":
            self.start(words[0], words[1], grow, int(words[2]), float(words[3]))
        elif verb == "read":
            self.start(words[0], words[1], read, f"file-{words[2]}")
        elif verb == "stop":
            if pid := self.programs.pop(words[0], None):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
        elif verb == "limit":
            # A separate process, because the process that lowers a limit has to reclaim the excess.
            self.start(" ".join(words), "", lambda: self.cgroups[words[0]].set(words[1:]) or os._exit(0))
        elif verb == "remove":
            os.rmdir(self.cgroups.pop(words[0]).directory)
        elif verb == "pressure":
            write(f"{ROOT}{words[0]}/cgroup.pressure", words[1])
        else:
            raise ValueError(f"there is no step “{verb}”")

    def wait(self, until):
        while (left := until - time.monotonic()) > 0:
            for file, event in self.poll.poll(left * 1000):
                if file in self.what:
                    self.hear(file, event)

    def play(self):
        while self.steps[0][1] == "cgroup":
            self.do(*self.steps.pop(0)[1:])
        self.watch_levels()
        self.began = time.monotonic()
        sampled = self.began
        for at, verb, *words in self.steps:
            while sampled < self.began + float(at):
                self.wait(sampled)
                self.reap()
                self.sample()
                sampled += 0.1
            self.wait(self.began + float(at))
            if verb != "end":
                self.note(f"do {' '.join([verb, *words])}")
                self.do(verb, *words)

    def watch_levels(self):
        paths = ", ".join(f'"{path}"' for path in self.cgroups)
        os.makedirs("/etc/memwarnd/memwarnd.toml.d", exist_ok=True)
        write("/etc/memwarnd/memwarnd.toml.d/vm.toml", f"[sensors]\ncgroups = [{paths}]\n")
        # Not `restart`: the daemon would take over the levels of the previous script.
        subprocess.run(["systemctl", "stop", "memwarnd.service"], check=True, stderr=subprocess.DEVNULL)
        subprocess.run(["systemctl", "start", "memwarnd.service"], check=True)
        self.watch = subprocess.Popen(["memwarnd", "watch", "--json"], stdout=subprocess.PIPE)
        self.what[self.watch.stdout.fileno()] = "levels", None
        self.poll.register(self.watch.stdout.fileno(), select.POLLIN)
        time.sleep(2)

    def clean(self):
        for pid in self.programs.values():
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        self.watch.kill()
        self.watch.wait()
        for path in sorted(self.cgroups, reverse=True):
            os.rmdir(ROOT + path)


write("/proc/self/oom_score_adj", "-1000")
write("/sys/kernel/mm/transparent_hugepage/enabled", "never")
ctypes.CDLL(None).mlockall(3)
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
for size in 16, 64:
    with open(f"file-{size}", "wb") as file:
        for _ in range(size):
            file.write(os.urandom(MIB))
        file.flush()
        os.fsync(file.fileno())
for script in sys.argv[1:]:
    write("/proc/sys/vm/drop_caches", "3")
    with open(f"model/{script}") as file, open(f"out/{script}", "w") as out:
        player = Player(file, out)
        player.play()
        player.clean()
    print("played", script, flush=True)
