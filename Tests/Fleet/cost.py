#!/usr/bin/env python3
"""Measures the cost of memwarnd on one machine, and of Prometheus for many: cost.py BIN [MACHINES]. BIN has memwarnd and gallery.

Needs root, to create a cgroup for each service; takes about five minutes. If Prometheus is installed, it then
scrapes a tenth of MACHINES (300) copies of the measured metrics, and then all. docs/FLEET.md has the figures.
"""
import http.server
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

BIN = os.path.abspath(sys.argv[1])
MACHINES = int(sys.argv[2]) if len(sys.argv) > 2 else 300
SERVICES = 20
IDLE = 60  # seconds

folder = tempfile.mkdtemp(prefix="memwarnd-cost.")
os.environ["MEMWARND_SOCKET"] = f"{folder}/memwarnd.sock"
started = []


def memwarnd(*arguments):
    return subprocess.run([f"{BIN}/memwarnd", *arguments], capture_output=True, text=True, check=True).stdout


def wait_for(condition, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if condition():
                return
        except (OSError, subprocess.CalledProcessError):
            pass
        time.sleep(0.1)
    raise SystemExit("cost: nothing came in time")


def run(arguments, cgroup=None, log=subprocess.DEVNULL):
    def enter():
        with open(f"{cgroup}/cgroup.procs", "w") as members:
            members.write(str(os.getpid()))

    process = subprocess.Popen(arguments, stdout=log, stderr=log, preexec_fn=enter if cgroup else None)
    started.append(process)
    return process


def processor(pid):
    """The processor time of all threads in milliseconds."""
    threads = os.listdir(f"/proc/{pid}/task")
    return sum(int(open(f"/proc/{pid}/task/{each}/schedstat").read().split()[0]) for each in threads) / 1e6


def memory(pid):
    rollup = dict(line.split(":") for line in open(f"/proc/{pid}/smaps_rollup").read().splitlines()[1:])
    return {name: int(rollup[name].split()[0]) for name in ("Rss", "Pss", "Anonymous")}


def hierarchy():
    for line in open("/proc/self/mountinfo"):
        left, right = line.split(" - ")
        if right.split()[0] == "cgroup2":
            return left.split()[4]
    raise SystemExit("cost: no cgroup v2 hierarchy is mounted")


def describe(what):
    text = memwarnd("metrics")
    series = [line for line in text.splitlines() if not line.startswith("#")]
    print(f"metrics with {what}: {len(series)} series, {len(text)} bytes")
    return text


def measure_daemon(top):
    log = open(f"{folder}/daemon.log", "w+")
    daemon = run([f"{BIN}/memwarnd", "run"], log=log)
    wait_for(lambda: memwarnd("status"))
    describe("no service")
    for index in range(SERVICES):
        os.mkdir(f"{top}/{index}")
        small = ["--pictures", "2", "--mib", "1", "--cache-mib", "1", "--visit-ms", "0", "--name", f"service-{index}"]
        run([f"{BIN}/gallery", *small], cgroup=f"{top}/{index}")
        if index == 0:
            wait_for(lambda: len(json.loads(memwarnd("status", "--json"))["hosts"]) == 1)
            describe("one service")
    wait_for(lambda: len(json.loads(memwarnd("status", "--json"))["hosts"]) == SERVICES)
    text = describe(f"{SERVICES} services in cgroups of their own")
    print(f"the daemon's memory with them, KiB: {memory(daemon.pid)}")

    before = processor(daemon.pid)
    time.sleep(IDLE)
    print(f"the daemon in {IDLE} idle seconds: {processor(daemon.pid) - before:.2f} ms of a processor")

    before, used = processor(daemon.pid), resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(40):
        memwarnd("metrics", "--textfile", f"{folder}/memwarnd.prom")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = (after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime) / 40 * 1000
    print(f"metrics, each time: {command:.1f} ms for the command, {(processor(daemon.pid) - before) / 40:.2f} ms for the daemon")

    def lines():
        log.seek(0)
        return log.read().splitlines()

    quiet = len(lines())
    for _ in range(10):
        memwarnd("simulate", "--level", "critical")
    wait_for(lambda: len(lines()) >= quiet + 10)
    said = lines()[quiet:]
    print(f"the log, a round: {len(said) / 10:g} lines of {sum(map(len, said)) // len(said)} bytes, such as\n  {said[-1]}")
    return text


class Machines(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    text = b""

    def do_GET(self):
        # A value changes on every machine.
        body = self.text.replace(b"memwarnd_uptime_seconds ", b"memwarnd_uptime_seconds %d" % (time.time() % 1e6), 1)
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Pages(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def handle_error(self, request, address):
        pass  # Prometheus ended, or gave up.


def free_port():
    with socket.socket() as each:
        each.bind(("127.0.0.1", 0))
        return each.getsockname()[1]


def measure_prometheus(machines):
    server, port = f"127.0.0.1:{free_port()}", free_port()
    pages = Pages(("127.0.0.1", port), Machines)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    targets = [{"targets": [f"127.0.0.1:{port}"], "labels": {"machine": f"m{index}"}} for index in range(machines)]
    rules = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../packaging/prometheus")
    place = f"{folder}/prometheus-{machines}"
    os.mkdir(place)
    with open(f"{place}/prometheus.yml", "w") as file:
        json.dump(
            {
                "global": {"scrape_interval": "15s", "evaluation_interval": "15s"},
                "rule_files": [f"{rules}/memwarnd.rules.yml", f"{rules}/memwarnd.fleet.rules.yml"],
                "scrape_configs": [{"job_name": "fleet", "static_configs": targets}],
            },
            file,
        )
    process = run(
        ["prometheus", f"--config.file={place}/prometheus.yml", f"--storage.tsdb.path={place}/data"]
        + [f"--web.listen-address={server}"]
    )

    def own():
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"http://{server}/metrics") as page:
            lines = [line.split() for line in page.read().decode().splitlines() if not line.startswith("#")]
        return {line[0]: float(line[1]) for line in lines if len(line) == 2}

    series = sum(not line.startswith(b"#") for line in Machines.text.splitlines())
    wait_for(lambda: own().get("prometheus_tsdb_head_series", 0) >= machines * series, 240)
    used = processor(process.pid)
    time.sleep(60)
    used = processor(process.pid) - used
    figures = own()
    evaluation = max(v for k, v in figures.items() if k.startswith("prometheus_rule_group_last_duration_seconds"))
    resident = memory(process.pid)["Rss"] / 1024
    print(
        f"Prometheus with {machines} machines: {figures['prometheus_tsdb_head_series']:.0f} series, {resident:.0f} MiB resident, "
        f"{used / 600:.1f} % of a processor, {evaluation * 1000:.0f} ms for the slower of the rule groups"
    )
    process.terminate()
    process.wait()
    pages.shutdown()


# If the script is ended by a signal, it still has to remove its files and cgroups.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
top = f"{hierarchy()}/memwarnd-cost-{os.getpid()}"
os.mkdir(top)
try:
    Machines.text = measure_daemon(top).encode()
    if shutil.which("prometheus"):
        for machines in (MACHINES // 10, MACHINES):
            measure_prometheus(machines)
finally:
    for process in started:
        process.terminate()
    for process in started:
        process.wait()
    for index in range(SERVICES):
        if os.path.isdir(f"{top}/{index}"):
            os.rmdir(f"{top}/{index}")
    os.rmdir(top)
    shutil.rmtree(folder)
