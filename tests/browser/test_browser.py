"""The lab in a browser: the page is built, opened from a folder, and used as a student would: kernels are typed, mistakes made, chapters passed.

Enters: LAB_PROGRAM, the built native program; LAB_BUILD, its build folder; Emscripten, CodeMirror, Chromium, python3-websocket. Leaves: exit
code 0, 1, or 77 when one of them is missing. With LAB_SCREENSHOTS=FOLDER it leaves pictures there, at three widths."""
import functools
import http.server
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/cli"), str(ROOT / "tools/browser"), str(ROOT / "tools")]
import lab_page  # noqa: E402
import wasm  # noqa: E402
from drawn.draws import drawn, draws_of_run  # noqa: E402

from chromium import Browser  # noqa: E402  (ends with 77 where there is none)

PROGRAM = os.environ["LAB_PROGRAM"]
LARGEST = 4_000_000  # bytes of the page as it is
PATIENCE = float(os.environ.get("LAB_BROWSER_SECONDS", "300"))  # for what hangs; a slow machine is no failure
TYPED = ["01_naive", "02_coalescing", "03_float4", "04_shared_tile", "05_padding", "06_xor_swizzle", "07_swizzle_formula", "08_vectorized_swizzle"]
# A file of loops over the 32 lanes of a warp, and how WebAssembly loads a vector.
LANES, LOADS = "common/sim/instructions/forms_logic.cpp", b"\xfd\x00"
CLOCKS = ("seconds", "compile")  # what a clock says
SCREENS = {"phone": 360, "tablet": 768, "laptop": 1366}  # width; the phone has no mouse
# Three mistakes of beginners, for which every kernel has room: where, what is typed there, and what the page says of it.
MISTAKES = [(r'(?m)^extern "C" (__global__)', "_global_", "Did you mean '__global__'?"), (r"(?m)^.*threadIdx\.x.*(;)$", "", "expected ';'"),
            (r"threadIdx(?=\.x)", "theadIdx", "Did you mean 'threadIdx'?")]


def expect(got, wanted, what):
    if got != wanted:
        raise AssertionError(f"{what}:\n  {str(got)[:1500]}\nexpected\n  {str(wanted)[:1500]}")


def has_vectors(out, folder):
    """A compiler that finds no vectors in loops over lanes says nothing, and verdicts take a third longer: without VECTORS there are half as many."""
    made, command = wasm.compile_command(out, LANES)
    alone = pathlib.Path(folder) / "lanes.cpp"  # the unit has other files, too
    alone.write_text(f'#include "{pathlib.Path(wasm.ROOT) / LANES}"\n', encoding="utf-8")
    command[command.index(made.with_suffix(".cpp").name)] = str(alone)
    start = next(place for place in range(len(command)) if command[place:place + len(wasm.VECTORS)] == wasm.VECTORS)

    def loads(words):
        done = alone.with_suffix(".o")
        words[words.index("-MF") + 1], words[words.index("-o") + 1] = str(done.with_suffix(".d")), str(done)
        subprocess.run([*words, "-w"], cwd=out, env=wasm.environment(), check=True)
        return done.read_bytes().count(LOADS)

    found, without = loads(list(command)), loads(command[:start] + command[start + len(wasm.VECTORS):])
    assert found >= 1.5 * without, f"{LANES} loads {found} vectors, and {without} without VECTORS of tools/browser/wasm.py: they do nothing"


def keeps_large_functions(folder):
    """The linker that takes no limit for functions called once says nothing, and browsers compile larger ones before the first verdict."""
    folder = pathlib.Path(folder)
    turns = "".join(f"for (int i = {n}; i < n; i += {n}) {{ seen[i & 63] += i * n; if (seen[i & 31] > {n}) seen[i & 7] ^= n; }}\n" for n in range(1, 5))
    (folder / "called.cpp").write_text(f"int seen[64];\nvoid called_once(int n) {{\n{turns}}}\n")
    (folder / "calls.cpp").write_text("void called_once(int n);\nextern int seen[64];\nint main(int count, char**) { called_once(count); return seen[3]; }\n")

    def has_it(flags):
        command = ["em++", "-O2", "--profiling-funcs", "called.cpp", "calls.cpp", *flags, "-o", "linked.js"]  # with the names of functions
        subprocess.run(command, cwd=folder, env=wasm.environment(), check=True)
        return b"called_once" in (folder / "linked.wasm").read_bytes()

    assert has_it([wasm.LARGE]), f"a large function that is called once went into its caller in spite of {wasm.LARGE} of tools/browser/wasm.py"
    assert not has_it([]), f"large functions that are called once stay so without {wasm.LARGE} of tools/browser/wasm.py: take it out"


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


def open_page(browser, page, chapter, screen="laptop", language="en"):
    is_phone = screen == "phone"
    browser.call("Emulation.setDeviceMetricsOverride", width=SCREENS[screen], height=900, deviceScaleFactor=1, mobile=is_phone)
    browser.call("Emulation.setTouchEmulationEnabled", enabled=is_phone)
    browser.open("about:blank")
    browser.open(f"{page.as_uri() if isinstance(page, pathlib.Path) else page}?chapter={chapter}&lang={language}")
    wait(browser, "document.body.dataset.ready")
    expect(browser.js("editor === null"), is_phone, "a plain text area")


def press(browser, text):
    """Key by key, as a keyboard does; an editor indents each new line by itself."""
    for number, line in enumerate(text.split("\n")):
        if number:
            browser.key("Enter")
        for letter in line.strip():
            browser.call("Input.dispatchKeyEvent", type="char", text=letter)


def select(browser, begin, end):
    browser.js(f"editor ? (editor.focus(), editor.setSelection(...[{begin}, {end}].map((at) => editor.posFromIndex(at))))"
               f" : ($('text').focus(), $('text').setSelectionRange({begin}, {end}))")


def type_over(browser, begin, end, text):
    """What stands between two places of the kernel goes, and this is typed there."""
    select(browser, begin, end)
    browser.key("Delete") if end > begin else None
    press(browser, text)


def type_kernel(browser, text):
    """The lines that differ from what stands in the editor. Indents are the editor's own."""
    old, new = browser.js("code()").split("\n"), text.split("\n")
    first = next((i for i, pair in enumerate(zip(old, new)) if pair[0] != pair[1]), 0)
    last = next((i for i, pair in enumerate(zip(old[:first:-1], new[:first:-1])) if pair[0] != pair[1]), 0)
    begin = sum(len(line) + 1 for line in old[:first])
    middle = "\n".join(old[first:len(old) - last])
    type_over(browser, begin, begin + len(middle), "\n".join(new[first:len(new) - last]))
    got = browser.js("code()")
    expect([line.strip() for line in got.split("\n")], [line.strip() for line in new], "what was typed")
    return got


def check(browser, chapter):
    browser.js("delete document.body.dataset.checked")
    browser.click("#check")
    wait(browser, f"document.body.dataset.checked?.startsWith({json.dumps(chapter)})")
    return int(browser.js("document.body.dataset.checked").split()[1]), browser.js("document.getElementById('out').textContent")


def learns(browser, page, chapter, screen):
    """Types the kernel, makes each mistake and corrects it, passes, and finds the work after a reload; seconds of the last check."""
    open_page(browser, page, chapter, screen)
    browser.js(f"store.drop('kernel {chapter}'), store.drop('passed {chapter}'), enter()")
    text = type_kernel(browser, (ROOT / f"solutions/{chapter}/transpose.cu").read_text(encoding="utf-8"))
    for pattern, wrong, words in MISTAKES:
        found = re.search(pattern, text)
        assert found, f"{chapter} has no place for {words}"
        begin, end = found.span(found.re.groups)
        type_over(browser, begin, end, wrong)
        status, said = check(browser, chapter)
        expect(status, 1, said)
        assert words in said, said
        line = text[:begin].count("\n") + 1
        marked = browser.js("editor ? [...document.querySelectorAll('.note')].map(e => e.textContent).join('|')"
                            " : document.querySelector('#numbers .blamed')?.textContent")
        assert (marked == str(line) if screen == "phone" else words in marked), f"line {line}: {marked!r} is marked, not {words!r}"
        browser.click("#out .place")
        at = browser.js("editor ? editor.getCursor().line + 1 : code().slice(0, $('text').selectionStart).split('\\n').length")
        expect(at, line, "where the place in the message leads")
        if words == MISTAKES[0][2]:
            browser.screenshot(f"browser-{chapter}-{screen}-mistake.png")
        type_over(browser, begin, begin + len(wrong), text[begin:end])
    began = time.monotonic()
    status, said = check(browser, chapter)
    seconds = time.monotonic() - began
    expect(status, 0, f"{chapter}: {said}")
    browser.screenshot(f"browser-{chapter}-{screen}-passed.png")
    open_page(browser, page, chapter, screen)
    expect(browser.js("code()"), text, "the work after a reload")
    return seconds


def learn_all(browser, page):
    """Each chapter on one screen, and two more of the other pairs; all pairs on request."""
    draw, screens = drawn("screens"), list(SCREENS)
    draw.shuffle(screens)
    pairs = [(chapter, screens[i % len(screens)]) for i, chapter in enumerate(TYPED)]
    rest = [(chapter, screen) for chapter in TYPED for screen in screens if (chapter, screen) not in pairs]
    pairs += draw.sample(rest, min(draws_of_run(2), len(rest)))
    for chapter, screen in pairs:
        print(f"{chapter}, {screen}: verdict after {learns(browser, page, chapter, screen):.2f} s", flush=True)


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
    """Hint, predict, diff, reset, show, PTX, the collection, the other language, the keyboard."""
    open_page(browser, page, "05_padding")
    type_over(browser, 0, 0, "// mine\n")
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
    browser.click("#tab-watch")
    wait(browser, "document.getElementById('watched').contentDocument?.querySelectorAll('#arrays *').length > 2")
    browser.js("document.getElementById('watched').contentDocument.getElementById('on').click()")  # the entry has no variables
    wait(browser, "document.getElementById('watched').contentDocument.querySelectorAll('#variables b').length > 2")
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


def in_two_tabs(browser, page):
    """What another tab writes to the same chapter stands here too, and does not vanish when this one goes on."""
    open_page(browser, page, "02_coalescing")
    browser.js("document.body.append(document.createElement('iframe'))")
    elsewhere = "document.querySelector('body > iframe').contentWindow.localStorage"
    browser.js(f"{elsewhere}.setItem('transpose-lab kernel 02_coalescing', '// from elsewhere')")
    wait(browser, "code() === '// from elsewhere'")
    assert "another tab" in browser.js("document.getElementById('state').textContent")
    browser.js("editor.replaceRange(' and from here', {line: 0, ch: 17})")
    expect(browser.js(f"{elsewhere}.getItem('transpose-lab kernel 02_coalescing')"), "// from elsewhere and from here", "the work of both tabs")
    browser.js(f"{elsewhere}.removeItem('transpose-lab kernel 02_coalescing')")  # the other one resets it
    wait(browser, "code() === begun()")
    browser.js("document.querySelector('body > iframe').remove()")


def looks(browser, page):
    """Nothing runs over the side of a phone, a tablet or a laptop."""
    for name, width in SCREENS.items():
        for language in ("en", "zh"):
            open_page(browser, page, "06_xor_swizzle", name, language)
            check(browser, "06_xor_swizzle")
            wide = browser.js("document.documentElement.scrollWidth")
            assert wide <= width, f"{name}: the page is {wide} wide"
            accessible(browser)
            browser.screenshot(f"browser-{name}-{language}.png")


def in_the_dark(browser, page):
    """Colours of a dark room: readable, as axe measures contrast, and dark."""
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    open_page(browser, page, "06_xor_swizzle")
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
        open_page(browser, f"http://127.0.0.1:{server.server_port}/{page.name}", "01_naive")
        type_kernel(browser, (ROOT / "solutions/01_naive/transpose.cu").read_text(encoding="utf-8"))
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
        has_vectors(pathlib.Path(os.environ["LAB_BUILD"]).resolve() / "browser", folder)
        keeps_large_functions(folder)
        size = page.stat().st_size
        assert size <= LARGEST, f"the page has {size} bytes, more than {LARGEST}"
        browser = Browser(folder)
        try:
            browser.socket.settimeout(300)
            print(f"{size / 1e6:.2f} MB")
            learn_all(browser, page)
            same_as_native(browser)
            by_hand(browser, page)
            in_two_tabs(browser, page)
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
