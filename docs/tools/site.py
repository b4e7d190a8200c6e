#!/usr/bin/python3
"""Converts the documents and the manual pages to web pages: site.py FOLDER. DocC's pages are beside them in FOLDER/library.

A document keeps its place in the tree, so that only the extension changes in links between documents. Links to other files
of the repository lead to copies of them.
"""

import html
import re
import shutil
import subprocess
import sys
from pathlib import Path

from markdown import ROOT, documents, library_page, slug

LIBRARY = "library/documentation/"
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
nav { font-size: 14px; border-bottom: 1px solid #ccc; padding-bottom: .5rem; }
code, pre { font: 14px/1.4 ui-monospace, monospace; background: #f4f4f2; }
pre { padding: .75rem; overflow-x: auto; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid #ccc; padding: .2rem .6rem; text-align: left; vertical-align: top; }
@media (prefers-color-scheme: dark) {
  body { background: #1c1c1e; color: #ddd; } a { color: #8ab4f8; } code, pre { background: #2c2c2e; }
}
"""


def page(title, body, depth):
    up = "../" * depth
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>\n'
        f'<body><nav><a href="{up}index.html">memwarnd</a> · <a href="{up}{LIBRARY}">the library</a></nav>\n'
        f"{body}</body></html>\n"
    )


def put(site, path, text):
    file = site / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def document(site, document):
    text = run("cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough", document.path)
    text = re.sub(r"<!-- check[^>]*-->\n?", "", text)
    text = re.sub(r"<h([1-6])>(.*?)</h\1>", lambda found: heading(*found.groups()), text)
    text = re.sub(r'href="([^"]*)"', lambda found: f'href="{target(site, document, found[1])}"', text)
    name = Path(document.name)
    title = next((line.lstrip("# ") for _, line in document.prose if line.startswith("# ")), document.name)
    put(site, name.with_suffix(".html"), page(title, text, len(name.parents) - 1))
    return title


def heading(level, text):
    plain = html.unescape(re.sub(r"<[^>]*>", "", text))
    return f'<h{level} id="{slug(plain)}">{text}</h{level}>'


def target(site, document, link):
    """Returns the target on the site of a link in a document."""
    path, mark, anchor = link.partition("#")
    if not path or re.match(r"[a-z]+:", link):
        return link
    file = (document.path.parent / path).resolve()
    up = "../" * (len(Path(document.name).parents) - 1)
    inside = file.relative_to(ROOT)
    if page := library_page(inside):
        return up + page
    if file.suffix == ".md":
        return path[: -len(".md")] + ".html" + mark + anchor
    copy(site, inside)
    return link


def copy(site, inside):
    if (ROOT / inside).is_dir():
        (site / inside).mkdir(parents=True, exist_ok=True)
        for file in (ROOT / inside).iterdir():
            if file.is_file():
                shutil.copy(file, site / inside)
    else:
        (site / inside).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / inside, site / inside)


def manuals(site):
    """Makes the pages of the installed manual pages; returns their names."""
    folder = site / "man"
    subprocess.run([ROOT / "packaging/man/pages.sh", folder], check=True)
    pages = sorted(folder.glob("man?/*"))
    names = [path.name for path in pages]
    for name in names:
        # Pages link to the pages here, which mandoc finds by their files, and otherwise to Debian's.
        (folder / f"{name}.html").touch()
    others = "https://manpages.debian.org/%N.%S"
    for path in pages:
        body = run("mandoc", "-Thtml", f"-Ofragment,man=%N.%S.html;{others}", path, cwd=folder)
        put(site, f"man/{path.name}.html", page(path.name, body, 1))
        path.unlink()
    for empty in folder.glob("man?"):
        empty.rmdir()
    return names


def index(site, titles, manuals):
    def items(links):
        return "".join(f'<li><a href="{link}">{html.escape(text)}</a></li>\n' for link, text in links)

    library = [(f"{LIBRARY}{path.name}/", path.name) for path in sorted((site / LIBRARY).iterdir()) if path.is_dir()]
    texts = [(str(Path(name).with_suffix(".html")), title) for name, title in titles]
    pages = [(f"man/{name}.html", "{}({})".format(*name.rsplit(".", 1))) for name in manuals]
    body = "<h1>memwarnd</h1>\n"
    for title, links in [("The library", library), ("Documents", texts), ("Manual pages", pages)]:
        if links:
            body += f"<h2>{title}</h2>\n<ul>\n{items(links)}</ul>\n"
    put(site, "index.html", page("memwarnd", body, 0))


def run(*command, cwd=None):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=cwd).stdout


def main():
    site = Path(sys.argv[1]).resolve()
    titles = [(each.name, document(site, each)) for each in documents()]
    index(site, titles, manuals(site))


if __name__ == "__main__":
    main()
