"""site.py MKDOCS TREE: the site builds without a warning, loads nothing from elsewhere, and its links lead somewhere."""

import html.parser
import os
import re
import subprocess
import sys
import tempfile
from urllib.parse import unquote, urldefrag

LOADING = {"script": "src", "link": "href", "img": "src", "iframe": "src"}


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []
        with open(path, encoding="utf-8") as f:
            self.feed(f.read())

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.ids.add(values.get("id") or values.get("name"))
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if values.get(LOADING.get(tag)):
            self.loads.append(values[LOADING[tag]])


def is_elsewhere(url):
    return re.match(r"([a-z]+:)?//|mailto:", url) is not None


def find_files(site, ending):
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(site) for name in names
                  if name.endswith(ending))


def resolve(site, path, target):
    """The file that an address in a page means; the page for errors starts its own with a slash."""
    if not target:
        return path
    folder = site if target.startswith("/") else os.path.dirname(path)
    return os.path.normpath(os.path.join(folder, unquote(target).lstrip("/")))


def check_links(site, pages):
    for path, page in pages.items():
        name = os.path.relpath(path, site)
        for url in page.links:
            target, fragment = urldefrag(url)
            to = resolve(site, path, target)
            if is_elsewhere(url):
                continue
            if not os.path.exists(to):
                yield f"{name}: {url} leads nowhere"
            elif fragment and to in pages and fragment not in pages[to].ids:
                yield f"{name}: {url}: there is no such place in the page"


def check_loads(site, pages):
    for path, page in pages.items():
        name = os.path.relpath(path, site)
        for url in page.loads:
            if is_elsewhere(url):
                yield f"{name}: loads {url}"
            elif not os.path.exists(resolve(site, path, urldefrag(url)[0])):
                yield f"{name}: {url} is missing"
    for path in find_files(site, ".css"):
        with open(path, encoding="utf-8") as f:
            for url in re.findall(r"url\(\s*['\"]?((?:https?:)?//[^)'\"]*)", f.read()):
                yield f"{os.path.relpath(path, site)}: loads {url}"


def main():
    mkdocs, tree = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as site:
        built = subprocess.run([mkdocs, "build", "--strict", "--quiet", "--site-dir", site], cwd=tree,
                               capture_output=True, text=True)
        if built.returncode:
            sys.exit(built.stdout + built.stderr)
        pages = {path: Page(path) for path in find_files(site, ".html")}
        complaints = list(check_links(site, pages)) + list(check_loads(site, pages))
    print("\n".join(complaints) if complaints else f"ok: {len(pages)} pages")
    sys.exit(1 if complaints else 0)


main()
