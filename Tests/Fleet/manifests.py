#!/usr/bin/env python3
"""Checks rules that the schemas of Kubernetes do not have: manifests.py FILE..."""
import sys

import yaml

problems = []
KINDS = {"ConfigMap", "DaemonSet", "Deployment"}
CAPABILITIES = {"DAC_OVERRIDE", "SYS_RESOURCE", "IPC_LOCK"}


def check(condition, sentence):
    if not condition:
        problems.append(sentence)


def check_pod(name, pod, labels, selector):
    check(selector.items() <= labels.items(), f"{name}: the selector does not find its own pods")
    check(pod.get("automountServiceAccountToken") is False, f"{name}: it gets a token that it has no use for")
    check("hostNetwork" not in pod and "hostIPC" not in pod, f"{name}: it has the node's network or IPC")
    volumes = {volume["name"] for volume in pod.get("volumes", [])}
    used = set()
    for container in pod["containers"]:
        where = f"{name}/{container['name']}"
        security = container["securityContext"]
        check(not security.get("privileged"), f"{where}: it is privileged")
        check(security.get("allowPrivilegeEscalation") is False, f"{where}: it may get more privileges")
        check(security.get("readOnlyRootFilesystem") is True, f"{where}: its file system can be written")
        check(security["capabilities"].get("drop") == ["ALL"], f"{where}: it keeps capabilities by default")
        added = set(security["capabilities"].get("add", []))
        check(added <= CAPABILITIES, f"{where}: it has {added - CAPABILITIES}")
        check("memory" in container["resources"]["limits"], f"{where}: its memory has no limit")
        paths = [mount["mountPath"] for mount in container.get("volumeMounts", [])]
        check(len(paths) == len(set(paths)), f"{where}: two mounts at one place")
        for mount in container.get("volumeMounts", []):
            used.add(mount["name"])
            check(mount["name"] in volumes, f"{where}: there is no volume {mount['name']}")
            if mount["mountPath"] == "/run/memwarnd":
                # A socket that is mounted by itself is lost when the daemon restarts.
                check("subPath" not in mount, f"{where}: the socket alone is mounted")
    check(used == volumes, f"{name}: nobody uses {volumes - used}")


count = 0
for path in sys.argv[1:]:
    for item in yaml.safe_load_all(open(path)):
        count += 1
        name = f"{item['kind']} {item['metadata']['name']}"
        check(item["kind"] in KINDS, f"{name}: nothing of this kind is needed")
        if item["kind"] == "ConfigMap":
            continue
        template = item["spec"]["template"]
        check_pod(name, template["spec"], template["metadata"]["labels"], item["spec"]["selector"]["matchLabels"])
        shared = {volume["hostPath"]["path"] for volume in template["spec"]["volumes"] if "hostPath" in volume}
        check("/run/memwarnd" in shared, f"{name}: it has no part in /run/memwarnd")
        if item["kind"] == "DaemonSet":
            check(template["spec"].get("hostPID") is True, f"{name}: it cannot see who connects")
            check(template["spec"].get("priorityClassName") == "system-node-critical", f"{name}: it may be evicted")
for problem in problems:
    print(f"manifests: {problem}", file=sys.stderr)
print(f"manifests: {count} objects, {len(problems)} problems")
sys.exit(1 if problems else 0)
