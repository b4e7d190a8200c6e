#!/usr/bin/env python3
"""Checks the Grafana dashboard: dashboard.py DASHBOARD METRICS [PROMETHEUS].

Every expression has to parse (promtool) and may name only metrics and labels in the file METRICS, the output of
"memwarnd metrics". With the address of a Prometheus that has scraped them, every expression has to find something
there.
"""
import json, re, subprocess, sys, tempfile, urllib.parse, urllib.request

# The values that Grafana inserts for its variables.
VARIABLES = {"$__rate_interval": "1m", "$instance": ".*"}
# The metrics and labels that the node exporter and Prometheus add.
OTHER_METRICS = {"node_textfile_mtime_seconds": {"file"}}
SCRAPE_LABELS = {"instance", "job"}
# A healthy machine refuses no request and throttles no client.
MAY_BE_EMPTY = {"memwarnd_refusals_total"}

problems = []


def offered(path):
    """The labels of each metric in a text in Prometheus's format."""
    metrics = {}
    for line in open(path):
        match = re.match(r"([a-z_]+)(\{.*\})? ", line)
        if match and not line.startswith("#"):
            metrics.setdefault(match[1], set()).update(re.findall(r'([a-z_]+)="', match[2] or ""))
    return metrics


def expressions(dashboard):
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            text = target["expr"]
            for name, value in VARIABLES.items():
                text = text.replace(name, value)
            yield panel["title"], text, target["legendFormat"]
    for variable in dashboard["templating"]["list"]:
        match = re.fullmatch(r"label_values\((.+), (\w+)\)", variable.get("definition", ""))
        if match:
            yield f"variable {variable['name']}", match[1], f"{{{{{match[2]}}}}}"


def check_structure(dashboard):
    if dashboard["schemaVersion"] < 36 or not dashboard["uid"] or not dashboard["title"]:
        problems.append("schemaVersion, uid or title is not what Grafana takes")
    ids = [panel["id"] for panel in dashboard["panels"]]
    if len(ids) != len(set(ids)):
        problems.append("two panels have the same id")
    taken = {}
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        if place["x"] + place["w"] > 24:
            problems.append(f"{panel['title']}: wider than the grid")
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                if taken.setdefault((x, y), panel["title"]) != panel["title"]:
                    problems.append(f"{panel['title']} lies over {taken[x, y]}")
                    return
        if panel["type"] != "row" and not panel.get("targets"):
            problems.append(f"{panel['title']}: asks for nothing")


def check_names(title, expression, legend, metrics):
    if "$" in expression:
        problems.append(f"{title}: a variable that is not known: {expression}")
    labels = set(SCRAPE_LABELS)
    for name, matchers in re.findall(r"\b((?:memwarnd|node)_[a-z_]+)(?:\{(.*?)\})?", expression):
        if name not in metrics:
            problems.append(f"{title}: there is no metric {name}")
            continue
        labels |= metrics[name]
        for label in re.findall(r"([a-z_]+)\s*(?:=~|!~|!=|=)", matchers):
            if label not in metrics[name] | SCRAPE_LABELS:
                problems.append(f"{title}: {name} has no label {label}")
    for group in re.findall(r"\b(?:by|on) \((.*?)\)", expression):
        for label in re.split(r",\s*", group):
            if label not in labels:
                problems.append(f"{title}: nothing there has the label {label}")
    for label in re.findall(r"\{\{(.*?)\}\}", legend):
        if label not in labels:
            problems.append(f"{title}: the legend names a label that is not there, {label}")


def check_syntax(found):
    rules = [{"record": f"check:{index}", "expr": expression} for index, (_, expression, _) in enumerate(found)]
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        # JSON is YAML.
        json.dump({"groups": [{"name": "dashboard", "rules": rules}]}, file)
        file.flush()
        result = subprocess.run(["promtool", "check", "rules", file.name], capture_output=True, text=True)
    if result.returncode != 0:
        problems.append(f"promtool: {result.stdout}{result.stderr}")


def check_data(title, expression, address):
    query = urllib.parse.urlencode({"query": expression})
    with urllib.request.urlopen(f"{address}/api/v1/query?{query}", timeout=10) as answer:
        result = json.load(answer)["data"]["result"]
    if not result and not any(name in expression for name in MAY_BE_EMPTY):
        problems.append(f"{title}: Prometheus finds nothing for {expression}")


dashboard = json.load(open(sys.argv[1]))
metrics = {**offered(sys.argv[2]), **OTHER_METRICS}
found = list(expressions(dashboard))
check_structure(dashboard)
check_syntax(found)
for title, expression, legend in found:
    check_names(title, expression, legend, metrics)
    if len(sys.argv) > 3:
        check_data(title, expression, sys.argv[3])
for problem in problems:
    print(f"dashboard: {problem}", file=sys.stderr)
print(f"dashboard: {len(found)} expressions, {len(problems)} problems")
sys.exit(1 if problems else 0)
