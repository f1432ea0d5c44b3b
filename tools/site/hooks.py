"""What the generator does differently for this site: the language switch leads to the same page, and keyboards
and screen readers find what the theme leaves without a name.

Enters: each page as it is rendered. Leaves: the page that is written; its links to both languages are relative, so that they work from
a folder too.
"""
import re


def on_post_page(output, page, config):
    here = config.extra["site_language"]
    up = "../" * page.url.count("/")
    other = f"{up}zh/{page.url}" if here == "en" else f"{up}../{page.url}"
    own = page.url.rsplit("/", 1)[-1]
    output = output.replace('"lab:en"', f'"{own if here == "en" else other}"').replace('"lab:zh"', f'"{own if here == "zh" else other}"')
    # Without the alternates in the head: for them the theme asks a server for a list of pages, and a folder has no server.
    output = re.sub(r'<link rel="alternate"[^>]*>\s*', "", output)
    # Code that is wider than a phone is scrolled with the keyboard too; the field for searching has a name.
    output = re.sub(r"<pre( id=\"[^\"]*\")?><", r'<pre\1 tabindex="0"><', output)
    output = re.sub(r'<p>(<img[^>]*src="[^"]*session/[^"]*\.svg")', r'<p tabindex="0">\1', output)  # so is a terminal (site.css)
    output = output.replace("<th></th>", "<td></td>")
    name = "搜索" if config.extra["site_language"] == "zh" else "Search"
    return output.replace('data-md-component="search" role="dialog"', f'data-md-component="search" role="dialog" aria-label="{name}"')
