"""The page of `lab show --html` in a real browser: it loads without an error, and clicks, keys and steps do what they say.

Enters: LAB_PROGRAM, the built program; Chromium, driven over its debugging protocol; Debian's python3-websocket. Leaves:
exit code 0, 1, or 77 when one of the two is missing. With LAB_SCREENSHOTS=FOLDER it leaves pictures there, light and dark."""
import os
import pathlib
import subprocess
import tempfile

from chromium import Browser
from sandbox import Clone


def expect(got, wanted, what):
    if got != wanted:
        raise AssertionError(f"{what}: {got!r}, expected {wanted!r}")


def page(folder, name, *args):
    path = pathlib.Path(folder) / name
    subprocess.run([os.environ["LAB_PROGRAM"], "show", *args, "--html", str(path)], check=True, stdout=subprocess.DEVNULL,
                   timeout=200)
    return path


def big(browser):
    return browser.js("[...document.querySelectorAll('.card .big')].map(e => e.textContent)")


def text(browser, selector):
    return browser.js(f"document.querySelector({selector!r}).textContent")


def rows_of(browser, card):
    """Rows in which lanes stand, in the wavefront picture of a card."""
    return browser.js(f"document.querySelectorAll('.card')[{card}].querySelectorAll('svg')[1].querySelectorAll('text.side').length")


def xor_chapter(browser, folder):
    browser.open(page(folder, "xor.html", "6", "--solution"))
    expect(big(browser), ["32 wavefronts", "1 wavefront"], "without the XOR, and with it")
    expect(rows_of(browser, 0), 32, "wavefronts drawn without the XOR")
    expect(rows_of(browser, 1), 1, "wavefronts drawn with it")
    column = "(card) => [...document.querySelectorAll('.card')[card].querySelectorAll('svg')[0].querySelectorAll('rect')]" \
             ".filter(r => !r.classList.contains('dim')).map(r => r.getAttribute('fill'))"
    expect(browser.js(f"new Set(({column})(0)).size"), 1, "banks of the column without the XOR")
    expect(browser.js(f"new Set(({column})(1)).size"), 32, "banks of the column with it")

    expect(text(browser, "#step"), "wavefront 1 of 32", "step")
    browser.click("#step-on")
    expect(text(browser, "#step"), "wavefront 2 of 32", "step after a click")
    browser.key("ArrowRight")
    browser.key("ArrowRight")
    browser.key("ArrowLeft")
    expect(text(browser, "#step"), "wavefront 3 of 32", "step after three keys")
    expect(browser.js("document.querySelectorAll('.card')[0].querySelectorAll('svg')[1].querySelectorAll('rect.lane').length"), 3,
           "lanes served after three wavefronts")
    browser.key("j")
    expect(text(browser, "#request"), "warp 0, request 2 of 32", "request after a key")
    expect(text(browser, "#step"), "wavefront 1 of 32", "a new request starts at its first wavefront")
    for _ in range(40):
        browser.key("k")
    expect(text(browser, "#request"), "warp 0, request 1 of 32", "no request before the first")

    browser.screenshot("xor_light.png")
    browser.click("#source tr.site[data-site='0']")
    words = text(browser, "#source tr.chosen td.cost")
    if "global load" not in words or "131 072 sectors" not in words:
        raise AssertionError(f"the click chose {words!r}")
    expect(big(browser), ["4 sectors"], "the global load")
    browser.js("document.querySelector(\"#source tr.site[data-site='3']\").focus()")
    browser.key("Enter")
    expect(big(browser), ["32 wavefronts", "1 wavefront"], "back with the keyboard")
    browser.js("(() => { const s = document.querySelector('#compare'); s.value = ''; s.dispatchEvent(new Event('change')); })()")
    expect(big(browser), ["1 wavefront"], "compared with nothing")


def others(browser, folder):
    browser.open(page(folder, "tile.html", "4", "--solution"))
    expect(big(browser)[-1], "32 wavefronts", "the tile without padding")
    browser.screenshot("tile_light.png")
    browser.open(page(folder, "naive.html", "1", "--solution"))
    expect(big(browser), ["32 sectors"], "the naive store")
    browser.screenshot("naive_light.png")
    browser.open(page(folder, "wide.html", "8", "--solution", "--before", "6"))
    expect(big(browser)[-1], "4 wavefronts", "the vectorised tile")
    expect(text(browser, ".card h2"), "Before", "another kernel stands on the left")


def dark(browser, folder):
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    browser.open(page(folder, "xor.html", "6", "--solution"))
    red, green, blue = browser.js("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    if red + green + blue > 200:
        raise AssertionError("a reader who prefers dark gets a light page")
    browser.key("ArrowRight")
    browser.screenshot("xor_dark.png")


def hostile(browser, folder):
    """Text of a student's file is text, never markup."""
    kernel = pathlib.Path(folder) / "hostile.cu"
    kernel.write_text('extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {\n'
                      "  // </script><script>window.broken = 1</script><!-- <img src=x onerror='window.broken = 2'>\n"
                      "  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;\n"
                      "  if (r < rows && c < cols) out[c * rows + r] = in[r * cols + c];\n}\n")
    code = subprocess.run([os.environ["LAB_PROGRAM"], "show", str(kernel)], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, timeout=200).returncode
    expect(code, 0, "lab show of a plain kernel file")
    browser.open(page(folder, "hostile.html", str(kernel), "--rows", "64", "--cols", "64"))
    expect(browser.js("typeof window.broken"), "undefined", "markup in a comment ran")
    if "window.broken = 1" not in text(browser, "#source"):
        raise AssertionError("the comment is not shown")


def stands_still(browser, path):
    """No step moves what is on the page, from a narrow window to a wide one."""
    places = ("JSON.stringify([...document.querySelectorAll('#controls > *, h2, #warps button, #lanes div, canvas')].map(e => {"
              " const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; }))")
    for width in (390, 1920, 1400):
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=1000, deviceScaleFactor=1, mobile=False)
        browser.open(path)
        moved = browser.js(f"(() => {{ const places = () => {places}, moved = []; go(0); const first = places();"
                           " for (let k = 1; k < steps.length; k += 3) { go(k); if (places() !== first) moved.push(k); } go(0); return moved; })()")
        expect(moved, [], f"steps that move something, {width} pixels wide")


def steps(browser, folder):
    """`lab step --html`: back and forth comes to the same picture as going there at once."""
    for words in (["4", "--solution"], ["12", "--solution"]):
        path = pathlib.Path(folder) / f"step{words[0]}.html"
        subprocess.run([os.environ["LAB_PROGRAM"], "step", *words, "--html", str(path)], check=True, stdout=subprocess.DEVNULL, timeout=200)
        stands_still(browser, path)
        browser.js("window.shownRows = () => [...byId('variables').children].filter(row => !row.hidden).map(row =>"
                   " row.firstChild.textContent + [...row.children].slice(1).filter(part => !part.hidden).map(part => part.textContent))")
        last = browser.js("steps.length - 1")
        state = ("JSON.stringify([byId('says').textContent, byId('way').textContent, shownRows(), byId('lanes').innerHTML,"
                 " byId('warps').innerHTML, ...views.map(v => v.canvas.toDataURL())])")
        browser.key("End")
        expect(text(browser, "#number"), f"step {last} of {last + 1}", "the last step")
        for at in (last // 3, last - 2, 9, last // 2):
            browser.js(f"go({at})")
            browser.key("ArrowRight")
            walked = browser.js(state)
            browser.js(f"go(0), go({at + 1})")
            expect(browser.js(state) == walked, True, f"step {at + 1} by two ways")
            expect(browser.js("views.every(v => [...v.writer].every(w => w <= now))"), True, "nobody wrote later than now")
        browser.key("Home")
        browser.key("b")
        expect(text(browser, "#says"), "All threads have arrived: the barrier opens", "to the barrier")
        expect(browser.js("Number(document.querySelector('#code .here').dataset.n) === steps[now - 1].line"), True, "the barrier's line")
        marks = [round(float(at), 6) for at in browser.js("[...document.querySelectorAll('#warps u')].map(e => e.style.getPropertyValue('--at') *"
                                                          " e.style.getPropertyValue('--parts'))")]
        expect(marks, [1.0] * 8, "each warp stands on the mark of the barrier")
        expect(browser.js("document.documentElement.scrollWidth <= innerWidth"), True, "no scrolling sideways")
        browser.screenshot(f"step{words[0]}.png")


def copies(browser, folder):
    """What is on its way is said and striped, until it lands; a called function stands in a frame of its own."""
    path = pathlib.Path(folder) / "copies.html"
    subprocess.run([os.environ["LAB_PROGRAM"], "step", "12", "--solution", "--to", "copy", "--html", str(path)], check=True,
                   stdout=subprocess.DEVNULL, timeout=200)
    browser.open(path)
    striped = "views.find(v => v.array.name === 'tile').awaited.reduce((a, b) => a + b, 0)"
    picture = "views.find(v => v.array.name === 'tile').canvas.toDataURL()"
    expect(browser.js(striped), 1024, "cells that a box will fill")
    expect(text(browser, "#way"), "1 copy on its way: 4 096 bytes into `tile` for phase 0 of `barrier`", "what is on its way")
    awaited = browser.js(picture)
    height = browser.js("document.body.scrollHeight")
    browser.js("while (steps[now].what !== 'phase') go(now + 1)")
    expect((browser.js(striped), text(browser, "#way")), (0, ""), "it has landed")
    expect(browser.js(picture) == awaited, False, "cells look as before")
    expect(browser.js("document.body.scrollHeight"), height, "the page's height")
    path = pathlib.Path(folder) / "calls.html"
    subprocess.run([os.environ["LAB_PROGRAM"], "step", "11", "--solution", "--to", "copy", "--html", str(path)], check=True,
                   stdout=subprocess.DEVNULL, timeout=200)
    browser.open(path)
    frames = browser.js("[...document.querySelectorAll('#variables .frame')].filter(e => !e.hidden).map(e => e.firstChild.textContent)")
    expect([frame.split(",")[0] for frame in frames], ["copy4", "start", "the kernel"], "frames")


def cell(browser, array, row, col):
    """A real click into a cell."""
    x, y = browser.js(f"(() => {{ const v = views.find(v => v.array.name === {array!r}), r = v.canvas, s = v.size; r.scrollIntoView({{block: 'center'}});"
                      f" const b = r.getBoundingClientRect(), k = b.width / r.width; return [b.x + ({col} + .5) * s * k, b.y + ({row} + .5) * s * k]; }})()")
    for kind in ("mousePressed", "mouseReleased"):
        browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)


SEARCHES = (  # chapter, what breaks it, then what a student clicks, and what the page says there
    ("a swapped index", "04_shared_tile", "tile[threadIdx.x][x]", "tile[x][threadIdx.x]",
     (("#wrong", "#says", "Lane 1 stores in(0,33) to out(32,1), where it does not belong"), (("tile", 1, 0), "#lanes div:nth-child(1)", "in(1,32)"))),
    ("a missing barrier", "04_shared_tile", "__syncthreads();", "",
     (("#wrong", "#lanes div:nth-child(2)", "0xcdcdcdcd"), (("tile", 1, 0), "#choice", "tile[1][0] is not written yet."),
      ("#fault", "#says", "__syncthreads"))),
    ("a wrong phase", "12_tma_swizzle", "lab::wait(&barrier, 0)", "lab::wait(&barrier, 1)",
     (("#fault", "#says", "tile"), ("#warps button", "#choice", "--choose"))),
)


def searches(browser, folder):
    """Why is the result wrong? From the page's first step to the cause by clicks."""
    with Clone() as clone:
        for name, chapter, right, wrong, clicks in SEARCHES:
            source = clone.solution(chapter)
            expect(right in source, True, f"{name}: {right}")
            clone.kernel(chapter).write_text(source.replace(right, wrong, 1))
            code, _, err = clone.lab("step", chapter, "--html", "search.html", LAB_LANG="en")
            expect((code, err), (0, ""), name)
            browser.open(clone.root / "search.html")
            for where, place, said in clicks:
                browser.click(where) if isinstance(where, str) else cell(browser, *where)
                if said not in text(browser, place):
                    raise AssertionError(f"{name}, after {where}: {place} says {text(browser, place)!r}, not {said!r}")
            print(f"     {name}: {len(clicks)} clicks")


def words_of(node, nodes):
    if node["role"]["value"] == "StaticText":
        return node["name"]["value"]
    return "".join(words_of(nodes[child], nodes) for child in node.get("childIds", []) if child in nodes)


def heard(browser):
    """What the accessibility tree gives to a screen reader: by step the places that are read aloud, and names that are words."""
    browser.call("Accessibility.enable")
    spoken, last = [], browser.js("steps.length - 1")
    for at in [*range(60), last]:
        browser.js(f"go({at})")
        nodes = {node["nodeId"]: node for node in browser.call("Accessibility.getFullAXTree")["nodes"]}
        live = [words_of(node, nodes) for node in nodes.values() if not node["ignored"] and node["role"]["value"] == "paragraph" and
                any(p["name"] == "live" and p["value"]["value"] == "polite" for p in node["properties"])]
        expect(any(said.endswith(browser.js("steps[now].says")) for said in live), True, f"step {at} is read aloud: {live}")
        spoken.append(" ".join(live))
        roles = ("button", "slider", "image", "group")
        names = [node["name"]["value"] for node in nodes.values() if not node["ignored"] and node["role"]["value"] in roles]
        expect([name for name in names if not any(c.isalpha() for c in name)], [], "places to go to without a name in words")
    expect(len(set(spoken)), len(spoken), "steps that sound like another")
    browser.call("Accessibility.disable")
    browser.key("Home")


def keyboard(browser, folder):
    """Without a mouse: lines, cells, and a question; what a screen reader reads."""
    path = pathlib.Path(folder) / "keyboard.html"
    subprocess.run([os.environ["LAB_PROGRAM"], "step", "4", "--solution", "--html", str(path)], check=True, stdout=subprocess.DEVNULL, timeout=200)
    browser.open(path)
    heard(browser)
    unnamed = "[...document.querySelectorAll('button, input, canvas, [tabindex]')].filter(e => !(e.textContent || e.getAttribute('aria-label')).trim()).length"
    expect(browser.js(unnamed), 0, "places to go to without a name")
    browser.js("byId('code').focus()")
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        browser.key(key)
    expect(browser.js("steps[now].line === Number(document.querySelector('.chosen').dataset.n)"), True, "a line by the keyboard")
    browser.key("End")
    browser.js("views[0].canvas.focus()")
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        browser.key(key)
    expect(browser.js("accessesOf(steps[now]).some(a => writes(a) && touched(a, views[0]).includes(views[0].cols + 1))"), True, "a cell by the keyboard")
    browser.key("Home")
    browser.js("byId('spoken').focus()")
    browser.key("q")
    asked = browser.js("(() => { const c = cellsOfLane(asked.access, asked.view, entries(asked.access.offset)[asked.lane])[0], v = asked.view;"
                       " return [v.array.name, Math.floor(c / v.cols), c % v.cols]; })()")
    cell(browser, *asked)
    expect(text(browser, "#choice").startswith("Right: "), True, f"an answer: {text(browser, '#choice')}")
    browser.key("k")
    expect(browser.js("byId('banks').getAttribute('aria-pressed')"), "true", "banks")


def main():
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        try:
            browser.call("Emulation.setDeviceMetricsOverride", width=1400, height=1000, deviceScaleFactor=1, mobile=False)
            for part in (xor_chapter, others, hostile, steps, copies, searches, keyboard, dark):
                part(browser, folder)
                print(f"ok   {part.__name__}")
            expect(browser.errors, [], "errors in the console")
            expect([u for u in browser.requests if not u.startswith(("file:", "data:"))], [], "requests to the network")
        finally:
            browser.close()


main()
