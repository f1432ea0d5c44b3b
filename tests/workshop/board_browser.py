"""The board in a real browser: 40 students on it, no error in the console, names are text, at laptop and phone width.

Enters: tools/workshop; Chromium and websocket-client. Leaves: exit code 0, 1, or 77 when one of the two is missing."""
import pathlib
import sys
import tempfile
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "cli")]
import room  # noqa: E402

from chromium import Browser  # noqa: E402


def until(browser, expression, wanted):
    deadline = time.monotonic() + 30
    while (got := browser.js(expression)) != wanted:
        if time.monotonic() > deadline:
            raise AssertionError(f"{expression}: {got!r}, expected {wanted!r}")
        time.sleep(0.2)


def main():
    words = ("--names", "--laptops", "43")
    with room.server(*words) as address, room.students(40) as students, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        students[7].name = "<img src=x onerror='window.broken = 1'>"
        for number, student in enumerate(students):
            room.work(student, number)
            student.reports_to(address, help=number in (3, 9))
        browser = Browser(profile)
        try:
            for name, width in (("laptop", 1300), ("phone", 390)):
                browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
                browser.open(f"http://{address}/")
                until(browser, "document.querySelectorAll('#laptops tr').length", 41)
                until(browser, "[...document.querySelectorAll('#laptops tr')].slice(1, 3).map((row) => row.className).join()", "help,help")
                until(browser, "document.getElementById('state').textContent", "40 laptops here, 3 never joined")
                until(browser, "document.documentElement.scrollWidth", width)
                browser.screenshot(f"board_{name}.png")
            until(browser, "typeof window.broken", "undefined")
            students[0].checks(students[0].chapter, "out-of-bounds")
            students[0].checks(students[0].chapter, "")
            students[0].reports_to(address)
            until(browser, "[...document.querySelectorAll('#diagnoses td.number')].reduce((sum, cell) => sum + Number(cell.textContent), 0)", 39)
            if browser.errors:
                raise AssertionError(browser.errors)
        finally:
            browser.close()


main()
