"""Checks whether blocks are valid in their languages."""

import json
import re
import shutil
import subprocess
import tempfile

import yaml

from commands import MEMWARND

# The tests compare these with compiled code.
ELSEWHERE = {"swift", "hex"}


def problem(block):
    """Returns the error in a block, or None. Raises KeyError for an unknown language."""
    return None if block.language in ELSEWHERE else CHECKS[block.language](block.text)


def check_text(text):
    """Refuses commands, since this check would not run them."""
    for line in text.splitlines():
        if re.match(r"(\$|sudo|make|memwarnd|systemctl|apt|kubectl|podman|docker|swift) ", line):
            return f"“{line}” is a command: make it a block of sh"


def check_json(text):
    try:
        json.loads(text)
    except ValueError as error:
        return str(error)


def check_toml(text):
    return run_on(text, ".toml", MEMWARND, "config", "check", "--config")


def check_yaml(text):
    try:
        content = list(yaml.safe_load_all(text))
    except yaml.YAMLError as error:
        return str(error)
    if any(isinstance(document, dict) and "groups" in document for document in content):
        return promtool(text, ".yml", "check", "rules")


def check_unit(text):
    """Checks a unit file or some lines of a unit file."""
    for line in text.splitlines():
        if line and not re.match(r"[#;]|\[[A-Z]\w*\]$|[A-Z]\w*=", line):
            return f"“{line}” is no line of a unit"


def check_query(text):
    rules = {"groups": [{"name": "queries", "rules": [{"record": "query", "expr": text}]}]}
    return promtool(yaml.safe_dump(rules), ".yml", "check", "rules")


def promtool(text, suffix, *arguments):
    """Returns Prometheus's error message, if Prometheus is installed."""
    return run_on(text, suffix, "promtool", *arguments) if shutil.which("promtool") else None


def run_on(text, suffix, *command):
    with tempfile.NamedTemporaryFile("w", suffix=suffix) as file:
        file.write(text)
        file.flush()
        result = subprocess.run([*command, file.name], capture_output=True, text=True)
        return (result.stdout + result.stderr).strip() if result.returncode else None


CHECKS = {
    "": check_text,
    "text": check_text,
    "json": check_json,
    "toml": check_toml,
    "yaml": check_yaml,
    "ini": check_unit,
    "promql": check_query,
}
