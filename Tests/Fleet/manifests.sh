#!/bin/sh
# Checks what is in packaging/kubernetes without a cluster: strictly against the schemas of some versions of Kubernetes,
# and for what schemas do not say. The schemas come with the package kubernetes-validate from PyPI, kept in .build/fleet.
set -eu

cd "$(dirname "$0")/../.."
Tests/Fleet/deps.sh python3=python3
environment=.build/fleet/kubernetes-validate
if [ ! -x "$environment/bin/kubernetes-validate" ]; then
    if ! python3 -m venv "$environment" 2>/dev/null; then
        # Debian has it apart, and there is no command to know it by.
        Tests/Fleet/deps.sh the-module-venv=python3-venv
        python3 -m venv "$environment"
    fi
    "$environment/bin/pip" install --quiet --disable-pip-version-check 'kubernetes-validate==1.33.1'
fi
for version in 1.30 1.31 1.32 1.33; do
    "$environment/bin/kubernetes-validate" --quiet --strict -k "$version.0" packaging/kubernetes/*.yaml
done
"$environment/bin/python" Tests/Fleet/manifests.py packaging/kubernetes/*.yaml
