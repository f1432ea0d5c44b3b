"""What the page says of a kernel that fails, and where a reload leads, with the native program behind the page.

Enters: LAB_PROGRAM; Chromium and python3-websocket. Leaves: exit code 0, 1, or 77 when one of the two is missing."""
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/cli"), str(ROOT / "tests/browser")]
import page_of_native  # noqa: E402

from chromium import Browser  # noqa: E402  (ends with 77 where there is none)

VERDICTS = {"en": ("passed", "not yet"), "zh": ("通过", "未通过")}


def wait(browser, condition):
    deadline = time.monotonic() + 100
    while not browser.js(f"Boolean({condition})"):
        assert time.monotonic() < deadline, f"never: {condition}; the page says {browser.js('document.body.innerText')[:1500]}"
        time.sleep(0.05)


def opened(browser, address):
    browser.open("about:blank")
    browser.open(address)
    wait(browser, "document.body.dataset.ready")


def pressed(browser, button):
    """The button's command, to its end: words and colour of the state, and what is printed."""
    browser.js("delete document.body.dataset.checked, delete document.body.dataset.drawn")
    browser.click(f"#{button}")
    wait(browser, "/ s$|in .* s|用时/.test($('state').textContent)")
    return browser.js("[$('state').textContent, $('state').className, $('out').textContent]")


def no_verdict(browser, button, language):
    said, colour, printed = pressed(browser, button)
    assert not any(word in said for word in VERDICTS[language]), f"{button} gives a verdict: {said}"
    assert colour != "good", f"{button} of a kernel that fails is green: {said}"
    assert "page.html" not in printed, f"{button} prints a place of its own: {printed}"


def verdicts(browser, address, language):
    """A kernel that the chapter begins with fails. `check` alone says so; no other button says that it has passed."""
    opened(browser, f"{address}?chapter=04_shared_tile&lang={language}")
    browser.js("['kernel 04_shared_tile', 'passed 04_shared_tile', 'progress'].forEach(store.drop), enter()")
    passed, not_yet = VERDICTS[language]
    for button in ("show", "hint"):
        no_verdict(browser, button, language)
    said, colour, printed = pressed(browser, "check")
    assert not_yet in said and colour == "bad", f"check: {said}, {colour}"
    no_verdict(browser, "show", language)
    kept = browser.js("$('out').textContent")
    assert kept == printed, f"Show took the verdict's reasons away: {kept}"
    no_verdict(browser, "hint", language)
    browser.js(f"setCode({(ROOT / 'solutions/04_shared_tile/transpose.cu').read_text(encoding='utf-8')!r}), keep()")
    said, colour, _ = pressed(browser, "check")
    assert passed in said and colour == "good", f"check of the solution: {said}, {colour}"


def reloads(browser, address):
    """A reload opens the chapter that was open, whatever the address asks for; a new visit too, unless it asks."""
    def chapter():
        return browser.js("$('chapter').value")

    opened(browser, f"{address}?chapter=04_shared_tile")
    browser.js("$('chapter').value = '06_xor_swizzle', $('chapter').onchange()")
    browser.call("Page.reload")
    time.sleep(0.2)
    wait(browser, "document.body?.dataset.ready")
    assert chapter() == "06_xor_swizzle", f"a reload opens {chapter()}"
    opened(browser, address)
    assert chapter() == "06_xor_swizzle", f"the next visit opens {chapter()}"
    opened(browser, f"{address}?chapter=04_shared_tile")
    assert chapter() == "04_shared_tile", f"a link to 04_shared_tile opens {chapter()}"


def hints(browser, address, language):
    """A hint is the lesson's text in the page's language, not its Markdown, and no command of a terminal is offered."""
    opened(browser, f"{address}?chapter=04_shared_tile&lang={language}")
    browser.js("['kernel 04_shared_tile', 'passed 04_shared_tile', 'progress'].forEach(store.drop), enter()")
    for _ in range(3):
        _, _, printed = pressed(browser, "hint")
        assert "*" not in printed.replace("32 *", "") and "`" not in printed and "./lab" not in printed, printed
        assert any("\u4e00" <= letter <= "\u9fff" for letter in printed) == (language == "zh"), printed


def opens_at_the_task(browser, address):
    """The line to write is in sight when a chapter opens."""
    for chapter in ("02_coalescing", "04_shared_tile", "15_speed_of_light"):
        opened(browser, f"{address}?chapter={chapter}")
        task = browser.js("code().split('\\n').findIndex((text) => /TODO.*line/.test(text))")
        seen = browser.js("editor ? [editor.lineAtHeight(editor.getScrollInfo().top, 'local'), editor.lineAtHeight(editor.getScrollInfo().top"
                          " + editor.getScrollInfo().clientHeight, 'local')] : [0, 1e9]")
        assert seen[0] <= task < seen[1], f"{chapter}: lines {seen} are in sight, the task is in line {task}"


def another_warp(browser, address):
    """A click on a warp of the recording runs it again, with that warp at the step that was open; a second choice comes to the first."""
    opened(browser, f"{address}?chapter=04_shared_tile")
    browser.js(f"setCode({(ROOT / 'solutions/04_shared_tile/transpose.cu').read_text(encoding='utf-8')!r}), keep()")
    browser.click("#tab-watch")
    recording = "document.getElementById('watched').contentDocument"
    said = f"{recording}?.getElementById('number')?.textContent"
    wait(browser, f"{said}?.startsWith('step 0 of')")
    for warp, step, notes in ((3, 1, "warp 3 goes on at step 1"), (5, 2, "warp 5 goes on at step 2")):
        browser.js(f"{recording}.getElementById('on').click(), {recording}.querySelector('#warps button[data-warp=\"{warp}\"]').click()")
        wait(browser, f"{recording}?.getElementById('notes')?.textContent.includes('{notes}') && {said}.startsWith('step {step} of')")
        assert browser.js(f"{recording}.querySelector('#warps .now').dataset.warp") == str(warp)


def main():
    with tempfile.TemporaryDirectory() as folder, page_of_native.served() as address:
        browser = Browser(folder)
        try:
            for language in VERDICTS:
                verdicts(browser, address, language)
                hints(browser, address, language)
            reloads(browser, address)
            opens_at_the_task(browser, address)
            another_warp(browser, address)
            assert not browser.errors, browser.errors
        finally:
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
