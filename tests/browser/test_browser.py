"""The lab in a browser: the page is built, opened from a folder, and used as a student would: kernels are typed, mistakes made, chapters passed.

Enters: LAB_PROGRAM, the built native program; LAB_BUILD, its build folder; Emscripten, CodeMirror, Chromium, python3-websocket. Leaves: exit
code 0, 1, or 77 when one of them is missing. With LAB_SCREENSHOTS=FOLDER it leaves pictures there, at three widths."""
import functools
import http.server
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/cli"), str(ROOT / "tools/browser"), str(ROOT / "tools")]
import lab_page  # noqa: E402

from chromium import Browser  # noqa: E402  (ends with 77 where there is none)

PROGRAM = os.environ["LAB_PROGRAM"]
LARGEST = 4_000_000  # bytes of the page as it is
PATIENCE = float(os.environ.get("LAB_BROWSER_SECONDS", "300"))  # for what hangs; a slow machine is no failure
TYPED = ["01_naive", "02_coalescing", "03_float4", "04_shared_tile", "05_padding", "06_xor_swizzle", "07_swizzle_formula", "08_vectorized_swizzle"]
CLOCKS = ("seconds", "compile")  # what a clock says
MISTAKES = [("__shared__ float", "_shared_ float", "is no type here"), ("row0 + threadIdx.x;", "row0 + threadIdx.x", "expected ';'"),
            ("row < rows", "row < rwos", "there is no 'rwos' here")]


def expect(got, wanted, what):
    if got != wanted:
        raise AssertionError(f"{what}:\n  {str(got)[:1500]}\nexpected\n  {str(wanted)[:1500]}")


def wait(browser, condition):
    deadline = time.monotonic() + PATIENCE
    while not browser.js(f"Boolean({condition})"):
        if time.monotonic() > deadline:
            raise AssertionError(f"never: {condition}; the page says {browser.js('document.body.innerText')[:1500]}")
        time.sleep(0.05)


def in_page(browser, words):
    call = f"lab({json.dumps(words)})"
    got = browser.call("Runtime.evaluate", expression=call, awaitPromise=True, returnByValue=True, timeout=300_000)
    if "exceptionDetails" in got:
        raise AssertionError(f"{words}: {got['exceptionDetails']}")
    return got["result"]["value"]


def answer_of(text):
    """The JSON of a check, without clocks, and without what a browser leaves out."""
    answer = json.loads(text)
    for key in (*CLOCKS, "reach"):
        answer.pop(key, None)
    for case in answer.get("cases", []):
        case.pop("left_out", None)
    return answer


def type_kernel(browser, chapter, text):
    browser.js(f"document.getElementById('chapter').value = {json.dumps(chapter)}, enter()")
    browser.js(f"setCode({json.dumps(text)}), keep()")


def check(browser, chapter):
    browser.js("delete document.body.dataset.checked")
    browser.click("#check")
    wait(browser, f"document.body.dataset.checked?.startsWith({json.dumps(chapter)})")
    return int(browser.js("document.body.dataset.checked").split()[1]), browser.js("document.getElementById('out').textContent")


def passes_chapters(browser, seconds):
    for chapter in TYPED:
        text = (ROOT / f"solutions/{chapter}/transpose.cu").read_text(encoding="utf-8")
        type_kernel(browser, chapter, text)
        began = time.monotonic()
        status, said = check(browser, chapter)
        seconds.append(time.monotonic() - began)
        expect(status, 0, f"{chapter}: {said}")


def sees_mistakes(browser):
    text = (ROOT / "solutions/05_padding/transpose.cu").read_text(encoding="utf-8")
    for right, wrong, words in MISTAKES:
        assert right in text
        type_kernel(browser, "05_padding", text.replace(right, wrong, 1))
        status, said = check(browser, "05_padding")
        expect(status, 1, said)
        assert words in said, said
        notes = browser.js("[...document.querySelectorAll('.note')].map(e => e.textContent).join('|')")
        assert words in notes, f"at its line stands {notes!r}, not {words!r}"


def same_as_native(browser):
    """What the page answers is what the native program says with the same compiler."""
    for chapter in TYPED:
        browser.js(f"document.getElementById('chapter').value = {json.dumps(chapter)}, enter(), setCode(begun())")
        words = ["check", chapter, "--device", "sim", "--json"]
        reply = in_page(browser, words)
        kernel = f"chapters/{chapter}/transpose.cu"
        done = subprocess.run([PROGRAM, "--compiler", "builtin", *words, "--kernel", kernel], capture_output=True, text=True, cwd=ROOT,
                              env={**os.environ, "LAB_ROOT": str(ROOT), "LAB_LANG": "en"})
        mine, theirs = answer_of(reply["out"]), answer_of(done.stdout)
        for key in ("passed", "points", "counters", "lines"):
            expect(mine.get(key), theirs.get(key), f"{key} of {chapter}")


def by_hand(browser, page):
    """Reload finds the work; hint, predict, diff, reset, show, PTX, the collection, the other language, the keyboard."""
    type_kernel(browser, "05_padding", "// mine\n")
    browser.open("about:blank")
    browser.open(f"{page.as_uri()}?chapter=05_padding")
    wait(browser, "document.body.dataset.ready")
    expect(browser.js("code()"), "// mine\n", "the work after a reload")
    browser.click("#diff")
    assert "+ // mine" in browser.js("document.getElementById('out').textContent")
    browser.js("window.confirm = () => true")
    browser.click("#reset")
    expect(browser.js("code() === begun()"), True, "reset")
    check(browser, "05_padding")
    browser.click("#hint")
    wait(browser, "document.getElementById('state').textContent.includes('in ')")
    browser.click("#predict")
    wait(browser, "!document.getElementById('questions').hidden")
    browser.click("#show")
    wait(browser, "document.getElementById('picture').contentDocument?.querySelector('.card')")
    browser.click("#tab-ptx")
    wait(browser, "document.getElementById('ptx').textContent.includes('ld.global')")
    browser.js("document.getElementById('tab-lesson').focus()")
    browser.key("ArrowRight")
    expect(browser.js("document.activeElement.id"), "tab-steps", "the next tab by key")
    browser.click("#to-checker")
    browser.click("#faulty button.run")
    wait(browser, "document.getElementById('faulty-out').textContent.length > 40")
    browser.click("#to-checker")
    hidden = browser.js("document.body.innerText")
    assert "tests/mutants" not in hidden and "solutions/" not in hidden, "an internal name is shown"
    browser.click("#language")
    status, said = check(browser, "05_padding")
    assert "未通过" in browser.js("document.getElementById('state').textContent"), said
    browser.click("#language")


def looks(browser, page):
    """Nothing runs over the side of a phone, a tablet or a laptop."""
    for name, width in (("phone", 390), ("tablet", 820), ("laptop", 1440)):
        for language in ("en", "zh"):
            browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
            browser.open("about:blank")
            browser.open(f"{page.as_uri()}?chapter=06_xor_swizzle&lang={language}")
            wait(browser, "document.body.dataset.ready")
            check(browser, "06_xor_swizzle")
            wide = browser.js("document.documentElement.scrollWidth")
            assert wide <= width, f"{name}: the page is {wide} wide"
            accessible(browser)
            browser.screenshot(f"browser-{name}-{language}.png")


def in_the_dark(browser, page):
    """Colours of a dark room: readable, as axe measures contrast, and dark."""
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    browser.open("about:blank")
    browser.open(f"{page.as_uri()}?chapter=06_xor_swizzle")
    wait(browser, "document.body.dataset.ready")
    check(browser, "06_xor_swizzle")
    parts = browser.js("getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).slice(0, 3).map(Number)")
    assert max(parts) < 80, f"the background is {parts}"
    accessible(browser)
    browser.screenshot("browser-dark.png")
    browser.call("Emulation.setEmulatedMedia", features=[])


def from_a_server(browser, page):
    """A server of files and nothing else: the page asks it for itself alone."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(page.parent))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser.open(f"http://127.0.0.1:{server.server_port}/{page.name}?chapter=01_naive")
        wait(browser, "document.body.dataset.ready")
        type_kernel(browser, "01_naive", (ROOT / "solutions/01_naive/transpose.cu").read_text(encoding="utf-8"))
        expect(check(browser, "01_naive")[0], 0, "a check on a page from a server")
        server.shutdown()


def accessible(browser):
    """axe-core's rules, all of them, on the page as it stands, where axe-playwright-python installs them."""
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None:
        return print("no axe-core: accessibility not tested (./lab test --full installs it)")
    browser.js(pathlib.Path(found.origin).with_name("axe.min.js").read_text(encoding="utf-8"))
    run = "axe.run(document, {preload: false, iframes: false}).then(r => r.violations.map(v => `${v.id}: ${v.nodes[0].html.slice(0, 200)}`))"
    got = browser.call("Runtime.evaluate", expression=run, awaitPromise=True, returnByValue=True)
    expect(got["result"]["value"], [], "accessibility")


def main():
    if missing := lab_page.what_is_missing():
        print(f"skipped: {missing}")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "a stick" / "index.html"
        page.parent.mkdir()
        page.write_text(lab_page.page(pathlib.Path(os.environ["LAB_BUILD"])), encoding="utf-8")
        size = page.stat().st_size
        assert size <= LARGEST, f"the page has {size} bytes, more than {LARGEST}"
        browser = Browser(folder)
        try:
            browser.socket.settimeout(300)
            browser.open(page)
            wait(browser, "document.body.dataset.ready")
            seconds: list[float] = []
            passes_chapters(browser, seconds)
            print(f"{size / 1e6:.2f} MB, verdicts after {', '.join(f'{one:.2f}' for one in seconds)} s")
            sees_mistakes(browser)
            same_as_native(browser)
            by_hand(browser, page)
            looks(browser, page)
            in_the_dark(browser, page)
            expect(browser.errors, [], "errors on the console")
            foreign = [url for url in browser.requests if not url.startswith(("file:", "blob:", "data:", "about:"))]
            expect(foreign, [], "requests to elsewhere")
            from_a_server(browser, page)
        finally:
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
