#!/bin/sh
# Checks packaging/kubernetes without a cluster: strictly against the schemas of several versions of Kubernetes, and for rules that
# schemas do not have. The schemas come from the package kubernetes-validate on PyPI, kept in .build/fleet.
set -eu

cd "$(dirname "$0")/../.."
Tests/Fleet/deps.sh python3=python3
environment=.build/fleet/kubernetes-validate
if [ ! -x "$environment/bin/kubernetes-validate" ]; then
    if ! python3 -m venv "$environment" 2>/dev/null; then
        # In Debian this is a separate package, and there is no command by which to recognise it.
        Tests/Fleet/deps.sh the-module-venv=python3-venv
        python3 -m venv "$environment"
    fi
    "$environment/bin/pip" install --quiet --disable-pip-version-check 'kubernetes-validate==1.33.1'
fi
for version in 1.30 1.31 1.32 1.33; do
    "$environment/bin/kubernetes-validate" --quiet --strict -k "$version.0" packaging/kubernetes/*.yaml
done
"$environment/bin/python" Tests/Fleet/manifests.py packaging/kubernetes/*.yaml
