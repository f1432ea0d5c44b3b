"""The lab in a browser: the page is built, opened from a folder, and says of every kernel what the native program says.

Enters: LAB_PROGRAM, the built native program; LAB_BUILD, its build folder; Emscripten, Chromium, python3-websocket. Leaves: exit code
0, 1, or 77 when one of them is missing. LAB_BROWSER_KERNELS=all compares every kernel of the page (some minutes), otherwise each solution,
each skeleton and a few of the others. With LAB_SCREENSHOTS=FOLDER it leaves pictures there, as wide as a phone and a laptop."""
import gzip
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/cli"), str(ROOT / "tools/browser"), str(ROOT / "tools")]
import kernels  # noqa: E402
import lab_page  # noqa: E402

from chromium import Browser  # noqa: E402  (ends with 77 where there is none)

PROGRAM = os.environ["LAB_PROGRAM"]
LARGEST = 3_000_000  # bytes, compressed
PATIENCE = float(os.environ.get("LAB_BROWSER_SECONDS", "300"))  # for what hangs; a slow machine is no failure
CLOCKS = ("seconds", "compile")  # what a clock says, and whether a compiler ran or its work was kept


def expect(got, wanted, what):
    if got != wanted:
        raise AssertionError(f"{what}:\n  {str(got)[:1500]}\nexpected\n  {str(wanted)[:1500]}")


def without_clocks(text):
    """The JSON of one answer, byte for byte but for what a clock says."""
    def cut(value):
        if isinstance(value, dict):
            return {key: cut(one) for key, one in value.items() if key not in CLOCKS}
        return [cut(one) for one in value] if isinstance(value, list) else value
    return [json.dumps(cut(json.loads(line)), ensure_ascii=False) for line in text.splitlines()]


def native(words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=600, cwd=ROOT,
                          env={**os.environ, "LAB_ROOT": str(ROOT), "LAB_LANG": "en", "LAB_COMPILER": "nvrtc"})
    return done.returncode, done.stdout


def in_page(browser, words, kernel="", wants=""):
    call = f"lab({json.dumps(words)}, {json.dumps(kernel)}, {json.dumps(wants)})"
    got = browser.call("Runtime.evaluate", expression=call, awaitPromise=True, returnByValue=True, timeout=300_000)
    if "exceptionDetails" in got:
        raise AssertionError(f"{words}: {got['exceptionDetails']}")
    return got["result"]["value"]


def wait(browser, condition):
    deadline = time.monotonic() + PATIENCE
    while not browser.js(f"Boolean({condition})"):
        if time.monotonic() > deadline:
            raise AssertionError(f"never: {condition}; the page says {browser.js('document.body.innerText')[:1500]}")
        time.sleep(0.05)


def commands():
    """What is compared: command lines, each with the part of the answer that differs by rights."""
    everything = os.environ.get("LAB_BROWSER_KERNELS") == "all"
    files = {place: (ROOT / place).read_text(encoding="utf-8") for place in kernels.course()}
    known = lab_page.choices(files, True)["course"]
    for at, one in enumerate(known):
        words = ["--kernel", one["place"], "--device", "sim", "--json"]
        if one["chapter"]:
            if everything or one["kind"] in ("skeleton", "solution") or at % 16 == 0:
                yield ["check", one["chapter"], *words]
        elif everything or at % 4 == 0:
            yield ["profile", one["place"], *one.get("shape", []), "--json"]
    for at, place in enumerate(kernels.workbench()):
        if everything or at % 9 == 0:
            yield ["profile", place, "--rows", "200", "--cols", "136", "--block", "32x4", "--tile", "32x32" if "_32_" in place else "16x16", "--json"]
    for words in (["banks", "--step", "128"], ["banks", "--width", "8", "--addresses", "0,8,-,24"], ["sectors", "--step", "4096"],
                  ["swizzle", "(x + 5) % 32"], ["swizzle", "x ^ y", "--elem-bytes", "8"], ["banks", "--width", "3"]):
        yield ["inspect", *words, "--json"]
    yield ["show", "--kernel", "solutions/06_xor_swizzle/transpose.cu", "--json"]
    yield ["profile", "solutions/05_padding/transpose.cu", "--rows", "50000", "--cols", "50000", "--json"]


def beyond_32_bits(answer):
    """The one case that a browser leaves out, and says so: the rest must be the same."""
    for case in answer.get("cases", []):
        case.pop("left_out", None)


def compare(browser, words):
    """True when the answers are the same; None when the one case that is left out here decides the other's verdict."""
    told = in_page(browser, words)
    code, text = native(words)
    if "50000" in words:
        expect(told["status"], 2, "a matrix beyond 32-bit memory")
        assert "GiB to simulate" in told["err"], told
        return True
    mine, theirs = without_clocks(told["out"]), without_clocks(text)
    if words[0] == "check":
        one, other = json.loads(mine[0]), json.loads(theirs[0])
        beyond_32_bits(one)
        failed = next((case["id"] for case in other["cases"] if not case["passed"]), "")
        if failed == "beyond-32-bits":
            for key in ("counters", "lines", "totals", "faults"):
                expect(one[key], other[key], f"{key} of {words}")
            return None
        one.pop("reach", None)  # the reference beside a passed kernel, which a browser does not compile
        other.pop("reach", None)
        mine, theirs = ([json.dumps(answer, ensure_ascii=False)] for answer in (one, other))
    expect(mine, theirs, " ".join(words))
    expect(told["status"], code, f"exit code of {' '.join(words)}")
    return True


def same_as_native(browser):
    compared, left = 0, 0
    for words in commands():
        same = compare(browser, words)
        compared += 1
        left += same is None
    print(f"{compared} answers as the native program gives them, {left} of them but for the case that needs 60 GiB")
    # The comparison sees a difference: another shape, another kernel.
    one = without_clocks(in_page(browser, ["profile", "solutions/05_padding/transpose.cu", "--rows", "64", "--cols", "64", "--json"])["out"])
    for words in (["profile", "solutions/05_padding/transpose.cu", "--rows", "64", "--cols", "65", "--json"],
                  ["profile", "solutions/05_padding/skeleton.cu", "--rows", "64", "--cols", "64", "--json"]):
        assert one != without_clocks(native(words)[1]), words
    told = in_page(browser, ["profile", "mine.cu"])
    expect((told["status"], told["out"]), (2, ""), "a kernel that is not in the page")


def by_hand(browser):
    """What a person does: the first verdict, a changed kernel, a calculator, the other language, the keyboard."""
    browser.js("document.getElementById('chapter').value = '05_padding', offerKernels()")
    browser.click("#judge button.run")
    wait(browser, "document.body.dataset.drawn === 'solutions/05_padding/skeleton.cu'")
    said = browser.js("document.getElementById('out').textContent")
    assert "32 wavefronts per request, 1 would do" in said and "not tried" in said, said
    assert "not yet" in browser.js("document.getElementById('state').textContent")
    wait(browser, "document.getElementById('picture').contentDocument?.querySelector('.card')")
    browser.js("document.getElementById('tab-judge').focus()")
    browser.key("ArrowRight")
    expect(browser.js("document.activeElement.id + ' ' + document.getElementById('panel-bench').hidden"), "tab-bench false", "the next tab by key")
    browser.js("document.getElementById('layout').value = 'pad1'")
    browser.click("#bench button.run")
    wait(browser, "document.body.dataset.drawn?.endsWith('/4_32_pad1.cu')")
    assert "no bank conflicts" in browser.js("document.getElementById('out').textContent")
    browser.click("#tab-inspect")
    wait(browser, "document.getElementById('out').textContent.includes('32 wavefronts, 1 would do')")
    browser.js("(() => { const step = document.getElementById('step'); step.value = '132'; step.dispatchEvent(new Event('input', {bubbles: true})); })()")
    wait(browser, "document.getElementById('out').textContent.includes('1 wavefront, 1 would do')")
    browser.click("#language")
    browser.click("#tab-judge")
    browser.click("#judge button.run")
    wait(browser, "document.getElementById('state').textContent.includes('还没有')")


def looks(browser, page):
    """Nothing runs over the side of a phone or a laptop."""
    for name, width in (("phone", 390), ("laptop", 1300)):
        for language in ("en", "zh"):
            browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
            browser.open("about:blank")
            browser.open(f"{page.as_uri()}?chapter=06_xor_swizzle&lang={language}")
            wait(browser, "document.body.dataset.ready")
            browser.click("#judge button.run")
            wait(browser, "document.body.dataset.drawn")
            wide = browser.js("document.documentElement.scrollWidth")
            assert wide <= width, f"{name}: the page is {wide} wide"
            accessible(browser)
            browser.screenshot(f"browser-{name}-{language}.png")


def accessible(browser):
    """axe-core's rules, all of them, on the page as it stands, where axe-playwright-python brings them."""
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None:
        return print("no axe-core: accessibility not looked at (./lab test --full brings it)")
    browser.js(pathlib.Path(found.origin).with_name("axe.min.js").read_text(encoding="utf-8"))
    run = "axe.run(document, {preload: false, iframes: false}).then(r => r.violations.map(v => `${v.id}: ${v.nodes[0].html.slice(0, 200)}`))"
    got = browser.call("Runtime.evaluate", expression=run, awaitPromise=True, returnByValue=True)
    expect(got["result"]["value"], [], "accessibility")


def main():
    if missing := lab_page.what_is_missing(pathlib.Path(os.environ["LAB_BUILD"])):
        print(f"skipped: {missing}")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "a stick" / "index.html"
        page.parent.mkdir()
        page.write_text(lab_page.page(pathlib.Path(os.environ["LAB_BUILD"])), encoding="utf-8")
        size = len(gzip.compress(page.read_bytes()))  # as a server sends it
        assert size <= LARGEST, f"the page has {size} bytes compressed, more than {LARGEST}"
        browser = Browser(folder)
        try:
            browser.socket.settimeout(300)
            browser.open(page)
            wait(browser, "document.body.dataset.ready")
            first = in_page(browser, ["check", "5", "--kernel", "solutions/05_padding/transpose.cu", "--device", "sim"])
            loaded = browser.js("performance.timing.domContentLoadedEventEnd - performance.timing.navigationStart")
            print(f"{size / 1e6:.2f} MB compressed, first verdict after {first['ms'] / 1000:.2f} s, page read in {loaded} ms")
            same_as_native(browser)
            by_hand(browser)
            looks(browser, page)
            expect(browser.errors, [], "errors on the console")
            foreign = [url for url in browser.requests if not url.startswith(("file:", "blob:", "data:", "about:"))]
            expect(foreign, [], "requests to elsewhere")
        finally:
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
