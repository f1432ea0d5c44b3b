"""Whether a folder of pages hangs together, without a browser.

Enters: the folder. Leaves: every fault as a sentence: a link or a picture that leads nowhere, a place in a page that is not there, a
script, a style or a picture from elsewhere, a formula that a lesson's comment should hide.
"""
import html.parser
import pathlib
import posixpath
import urllib.parse

LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}


class Page(html.parser.HTMLParser):
    """What one page links to, what it loads, and which places it has."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.ids, self.text = [], [], set(), []
        self.unseen = 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids |= {given[name] for name in ("id", "name") if given.get(name)}
        self.unseen += tag in ("script", "style")
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif tag in LOADED and given.get(LOADED[tag]) and given.get("rel") not in ("canonical", "prev", "next"):
            self.loads.append(given[LOADED[tag]])

    def handle_endtag(self, tag):
        self.unseen -= tag in ("script", "style")

    def handle_data(self, data):
        if not self.unseen:
            self.text.append(data)


def faults(folder):
    folder = pathlib.Path(folder)
    pages = {str(p.relative_to(folder)): Page(p.read_text(encoding="utf-8")) for p in sorted(folder.rglob("*.html"))}
    found = []
    for name, page in pages.items():
        for url in page.loads:
            if urllib.parse.urlsplit(url).scheme not in ("", "data"):
                found.append(f"{name} loads {url}")
        for url in page.links + page.loads:
            parts = urllib.parse.urlsplit(url)
            if parts.scheme or parts.netloc:
                continue
            place = posixpath.normpath(posixpath.join(posixpath.dirname(name), urllib.parse.unquote(parts.path))) if parts.path else name
            if parts.path.startswith("/") or place.startswith("..") or not (folder / place).is_file():
                found.append(f"{name}: {url} leads nowhere")
            elif parts.fragment and place in pages and urllib.parse.unquote(parts.fragment) not in pages[place].ids:
                found.append(f"{name}: {url} names a place that is not there")
        if "<!--" in "".join(page.text) and "chapters/" in name:
            found.append(f"{name} shows a comment")
    return found, pages
