#!/usr/bin/python3
"""Converts the library's catalogues to web pages: library.py BUILD FOLDER MODULE..., for modules that are built in BUILD.

DocC gets copies of the catalogues. In the repository their articles are linked as files, so that the links also work there. In
the copies these links are DocC's own, or lead to pages of the site that site.py makes. Fails if a link leads nowhere, or if a
public symbol has no topic.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from markdown import ROOT, library_page

SWIFT = os.environ.get("SWIFT", "swift")


def stage(module, folder):
    """Copies a module's catalogue for DocC."""
    catalogue = ROOT / f"Sources/{module}/{module}.docc"
    copy = folder / catalogue.name
    shutil.copytree(catalogue, copy)
    for page in copy.glob("*.md"):
        # Code contains brackets and parentheses of its own.
        prose = re.split(r"(^```.*?^```$)", page.read_text(), flags=re.M | re.S)
        prose[::2] = [
            re.sub(r"(?<=\]\()([^)\s]+\.md[^)\s]*)(?=\))", lambda link: target(catalogue, link[1]), text) for text in prose[::2]
        ]
        page.write_text("".join(prose))
    return copy


def target(catalogue, link):
    """Returns the target in DocC of a link in an article."""
    path, mark, anchor = link.partition("#")
    file = (catalogue / path).resolve()
    if file.parent == catalogue:
        return f"doc:{file.stem}"
    inside = file.relative_to(ROOT)
    return "/" + (library_page(inside) or f"{inside.with_suffix('.html')}{mark}{anchor}")


def symbols(module, build, folder):
    """Makes the compiler list the public symbols of a module, and those that it re-exports from the kernel's side."""
    folder.mkdir(parents=True)
    triple = json.loads(run(f"{SWIFT}c", "-print-target-info"))["target"]["triple"]
    run(
        *(SWIFT, "symbolgraph-extract", "-module-name", module, "-target", triple, "-I", build / "Modules"),
        *("-Xcc", f"-fmodule-map-file={build}/CLinux.build/module.modulemap"),
        *("-minimum-access-level", "public", "-skip-synthesized-members"),
        *("-experimental-allowed-reexported-modules=MemoryPressure", "-output-dir", folder),
    )
    return folder


def convert(module, build, folder):
    """Makes the pages of a module; returns their folder."""
    archive = folder / f"{module}.doccarchive"
    run(
        *(docc(), "convert", stage(module, folder), "--warnings-as-errors"),
        *("--additional-symbol-graph-dir", symbols(module, build, folder / f"{module}.symbols")),
        *("--fallback-display-name", module, "--fallback-bundle-identifier", f"memwarnd.{module}"),
        *("--transform-for-static-hosting", "--hosting-base-path", "library", "--output-path", archive),
    )
    first = json.loads((archive / f"data/documentation/{module.lower()}.json").read_text())
    loose = [title for group in first.get("topicSections", []) if group.get("generated") for title in group["identifiers"]]
    if loose:
        sys.exit(f"library: these have no topic in {module}.md: {', '.join(name.rpartition('/')[2] for name in loose)}")
    return archive


def docc():
    """Returns the path of docc, which is beside the compiler, after following links."""
    return Path(shutil.which(SWIFT)).resolve().with_name("docc")


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def main():
    build, folder, modules = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3:]
    work = folder.with_suffix(".work")
    for old in (work, folder):
        shutil.rmtree(old, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    archives = [convert(module, build, work) for module in modules]
    run(docc(), "merge", *archives, "--synthesized-landing-page-name", "The library", "--output-path", folder)
    shutil.rmtree(work)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failure:
        sys.exit(f"{failure.stdout}library: {Path(failure.cmd[0]).name} ended with {failure.returncode}")
