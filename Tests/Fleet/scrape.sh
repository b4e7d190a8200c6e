#!/bin/sh
# A real Prometheus and node exporter (Debian's) scrape a real daemon that warns a real service: scrape.sh BIN, where BIN contains
# memwarnd and gallery. Runs on loopback for about half a minute, and ends all processes that it started.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$1" && pwd)
packaging=$(cd "$here/../../packaging" && pwd)
"$here/deps.sh" prometheus=prometheus promtool=prometheus prometheus-node-exporter=prometheus-node-exporter \
    curl=curl jq=jq python3=python3

dir=$(mktemp -d /tmp/memwarnd-scrape.XXXXXX)
mkdir "$dir/textfile"
export MEMWARND_SOCKET="$dir/memwarnd.sock"
# Proxies, if there are any, must not be used: everything is on loopback.
export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1
started=''

say() { echo "scrape: $*"; }
fail() { say "$*"; exit 1; }
finish() {
    status=$?
    trap - EXIT INT TERM
    for pid in $started; do kill "$pid" 2>/dev/null || true; done
    for pid in $started; do wait "$pid" 2>/dev/null || true; done
    if [ "$status" != 0 ]; then tail -n 20 "$dir"/*.log; fi
    rm -rf "$dir"
    exit "$status"
}
trap finish EXIT
trap 'exit 1' INT TERM

run() { # LOG COMMAND...: in the background
    log=$1
    shift
    "$@" >"$dir/$log.log" 2>&1 &
    started="$started $!"
    last=$!
}

# Two ports that are currently free.
ports=$(python3 -c 'import socket
a, b = socket.socket(), socket.socket()
for each in (a, b): each.bind(("127.0.0.1", 0))
print(a.getsockname()[1], b.getsockname()[1])')
exporter=127.0.0.1:${ports% *}
prometheus=127.0.0.1:${ports#* }

metrics() { "$bin/memwarnd" metrics --textfile "$dir/textfile/memwarnd.prom" || true; }
every_second() { while :; do metrics; sleep 1; done; }
ask() { curl -sf --max-time 5 --data-urlencode "query=$1" "http://$prometheus/api/v1/query"; }
value() { ask "$1" | jq -r '.data.result[0].value[1] // "nothing"'; }
until_is() { # EXPRESSION WANTED: for 30 s
    for _ in $(seq 60); do
        found=$(value "$1" 2>/dev/null || true)
        if [ "$found" = "$2" ]; then
            say "  $1 = $2"
            return
        fi
        sleep 0.5
    done
    fail "$1 is $found, and not $2"
}

run daemon "$bin/memwarnd" run
daemon=$last
for _ in $(seq 100); do
    [ ! -S "$MEMWARND_SOCKET" ] || break
    sleep 0.1
done
run gallery "$bin/gallery" --pictures 4 --mib 16 --cache-mib 8 --visit-ms 200
run metrics every_second
run exporter prometheus-node-exporter --web.listen-address="$exporter" --collector.disable-defaults \
    --collector.textfile --collector.textfile.directory="$dir/textfile"
cat >"$dir/prometheus.yml" <<YML
global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: ["$packaging/prometheus/memwarnd.rules.yml", "$packaging/prometheus/memwarnd.fleet.rules.yml"]
scrape_configs:
  - job_name: node
    static_configs: [{ targets: ["$exporter"] }]
YML
promtool check config "$dir/prometheus.yml" >"$dir/config.log"
run prometheus prometheus --config.file="$dir/prometheus.yml" --storage.tsdb.path="$dir/data" \
    --web.listen-address="$prometheus"

say "a calm machine"
until_is memwarnd_up 1
until_is memwarnd_registered_hosts 1
until_is 'sum(memwarnd_level)' 1
until_is memwarnd:machines:count 1
until_is memwarnd:hosts:sum 1
until_is 'memwarnd_warnings_total{outcome="answered"}' 0

say "a warning"
"$bin/memwarnd" simulate --level critical --host gallery --expect-freed 48M
until_is 'memwarnd_warnings_total{outcome="answered"}' 1
until_is 'memwarnd_rounds_total{level="critical",simulated="true"}' 1
until_is 'memwarnd_released_bytes_total >= bool 48 * 1024 * 1024' 1
until_is 'memwarnd_answer_duration_seconds_count' 1
until_is 'memwarnd:released_bytes:rate5m > bool 0' 1
until_is memwarnd:warnings_unanswered:ratio30m 0
until_is 'count(memwarnd:answer_duration_seconds:p99_30m)' 1

say "the rules, as Prometheus sees them"
rules=$(curl -sf "http://$prometheus/api/v1/rules")
bad=$(echo "$rules" | jq -r '.data.groups[].rules[] | select(.health != "ok") | "\(.name): \(.lastError)"')
[ -z "$bad" ] || fail "$bad"
# Alerts about memory are ignored: this machine may really be short of it.
firing=$(echo "$rules" | jq -r '.data.groups[].rules[] | select(.state == "firing").name' | grep -v -e Critical -e Pressure || true)
[ -z "$firing" ] || fail "alerts fire: $firing"
say "  $(echo "$rules" | jq '[.data.groups[].rules[]] | length') rules, all evaluated"

say "the dashboard"
cp "$dir/textfile/memwarnd.prom" "$dir/metrics.txt"
python3 "$here/dashboard.py" "$packaging/grafana/memwarnd.json" "$dir/metrics.txt" "http://$prometheus"

say "the daemon is gone"
kill "$daemon"
until_is memwarnd_up 0
until_is 'count(ALERTS{alertname="MemwarndDown"})' 1
say "all is well"
