"""The sentences of the page of `lab show`: t('…') in its scripts, words and titles in its HTML.

Enters: the text of a file. Leaves: the sentences, in order, each once."""
import re


def of_script(text):
    return list(dict.fromkeys(re.sub(r"\\(.)", r"\1", m) for m in re.findall(r"\bt\(\s*'((?:[^'\\]|\\.)*)'", text)))


def of_html(text):
    body = text[text.index("<body>"):]
    titles = re.findall(r'(?:title|aria-label)="([^"]*)"', body)
    words = [re.sub(r"\s+", " ", w).strip() for w in re.findall(r">([^<>]+)<", re.sub(r"<script.*?</script>", "", body, flags=re.S))]
    return list(dict.fromkeys(w for w in titles + words if re.search(r"[A-Za-z]{2}", w)))


def of_file(path):
    text = path.read_text(encoding="utf-8")
    return of_html(text) if path.suffix == ".html" else of_script(text) if path.suffix == ".js" else []
