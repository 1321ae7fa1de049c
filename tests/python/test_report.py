"""A report opens from disk in Chromium without errors, and its controls work.

FLORAL_BIN is the path of the floral command. Screenshots are left in FLORAL_SCREENSHOTS, if set.
"""

import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import time
import urllib.request

import numpy
import pytest
import websocket
import xarray

from command import floral

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SMALL = (
    "--set network.hidden_channels=4 --set network.film_channels=4 --set network.layers=2 "
    "--set optimiser.batch=4 --set split.test=2 --set split.validation=1 --epochs 2"
)
PROBLEMS = {"1dcr": 16, "darcy": 12, "membrane": None}


def membrane(path):
    """Deflections of nanometres and pressures of 1e5 on a domain of 1.2 by 2 metres."""
    x, y = numpy.linspace(0, 1.2, 9), numpy.linspace(0, 2, 15)
    random = numpy.random.default_rng(0)
    inputs = random.normal(size=(7, 1, 1, 1)) * numpy.outer(numpy.sin(x), numpy.cos(y))
    load = inputs[:, None] * (1 + 0.3 * random.normal(size=(7, 6, 1, 1, 1)))
    high = numpy.concatenate([1e-9 * numpy.exp(load), 1e5 + 2e4 * load], axis=2)
    low = numpy.concatenate([1e-9 * numpy.exp(inputs), 1e5 + 2e4 * inputs], axis=1)
    names = {"channel_names": ["deflection", "pressure"], "channel_units": ["m", "Pa"]}
    data = {
        "input": (("input", "channel_in", "x", "y"), inputs),
        "low": (("input", "channel", "x", "y"), low, names),
        "high": (("input", "realization", "channel", "x", "y"), high, names),
    }
    coordinates = {"x": ("x", x, {"units": "m"}), "y": ("y", y, {"units": "m"})}
    xarray.Dataset(data, coordinates, {"title": "Membrane under load"}).to_zarr(path, zarr_format=3, consolidated=False)


@pytest.fixture(scope="module", params=PROBLEMS)
def report(request, tmp_path_factory):
    """The report of a regression and two generative runs of different sizes."""
    folder = tmp_path_factory.mktemp(request.param)
    size = PROBLEMS[request.param]
    if size is None:
        membrane(folder / "d.zarr")
    else:
        floral(folder, f"generate {request.param} --inputs 7 --realizations 6 --resolution {size} -o d.zarr")
    floral(folder, f"train d.zarr --method residual-fno {SMALL} -o runs/fno")
    for inputs in (2, 4):
        floral(folder, f"train d.zarr --method floral {SMALL} --train-inputs {inputs} -o runs/floral{inputs}")
    floral(folder, "train d.zarr --set split.test=2 --set split.validation=1 -o runs/kl")
    floral(
        folder,
        "report runs/fno runs/floral2 runs/floral4 --data d.zarr --realizations 40 --reference 100 "
        "--solver euler --steps 2 --keep 5 -o report.html",
    )
    return folder / "report.html"


@pytest.fixture(scope="module")
def new_report(report):
    """The report of two of the runs for inputs without solutions."""
    folder = report.parent
    data = xarray.open_zarr(folder / "d.zarr", consolidated=False)
    arrays = {name: data[name].values[:2] for name in ("input", "low")}
    numpy.savez(folder / "new.npz", **arrays)
    floral(
        folder,
        "report runs/floral4 runs/kl --input new.npz --realizations 40 --solver euler --steps 2 --keep 5 -o new.html",
    )
    return folder / "new.html"


class Browser:
    """A page in headless Chromium, driven by the DevTools protocol."""

    def __init__(self, profile):
        self.process = subprocess.Popen(
            [
                CHROMIUM,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--remote-debugging-port=0",
                "--remote-allow-origins=*",
                f"--user-data-dir={profile}",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        port_file = pathlib.Path(profile) / "DevToolsActivePort"
        self.wait(lambda: port_file.exists() and port_file.read_text().count("\n") >= 1)
        port = port_file.read_text().split()[0]
        pages = []

        def found():
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
                pages[:] = [page for page in json.load(answer) if page["type"] == "page"]
            return pages

        self.wait(found)
        self.socket = websocket.create_connection(pages[0]["webSocketDebuggerUrl"], timeout=60)
        self.last = 0
        self.events = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    @staticmethod
    def wait(condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "the browser does not answer"
            time.sleep(0.05)

    def call(self, method, **parameters):
        self.last += 1
        self.socket.send(json.dumps({"id": self.last, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == self.last:
                assert "error" not in message, message
                return message["result"]
            self.events.append(message)

    def run(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def open(self, path, width=1280, height=900, scheme="light"):
        self.events.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        # Marks the old page, so that it is not mistaken for the new one.
        self.run("document.documentElement.dataset.ready = 'before'")
        start = time.monotonic()
        self.call("Page.navigate", url=path.as_uri())
        self.wait(lambda: self.run("document.documentElement?.dataset.ready") == "true")
        return time.monotonic() - start

    def complaints(self):
        """Exceptions, console errors and log entries since the page was opened."""
        kinds = {"Runtime.exceptionThrown", "Log.entryAdded"}
        errors = [event for event in self.events if event["method"] in kinds]
        called = [event for event in self.events if event["method"] == "Runtime.consoleAPICalled"]
        return errors + [event for event in called if event["params"]["type"] in ("error", "warning", "assert")]

    def screenshot(self, name):
        folder = os.environ.get("FLORAL_SCREENSHOTS")
        if folder:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 9000), "scale": 1}
            image = self.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            (pathlib.Path(folder) / f"{name}.png").write_bytes(base64.b64decode(image["data"]))

    def close(self):
        try:
            self.call("Browser.close")
            self.process.wait(timeout=20)
        except Exception:
            self.process.kill()
            self.process.wait()
        finally:
            # An open socket raises a ResourceWarning in a later test, and some tests treat warnings as errors.
            self.socket.close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    assert CHROMIUM, "chromium is needed: apt-get install chromium"
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


# Everything that a part of the page shows: text, curves, and pixels of canvases.
PICTURE = """(id) => {
  const part = document.getElementById(id);
  const canvases = [...part.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL());
  return part.innerHTML + canvases.join();
}"""

# Sets a control as a user does.
SET = """(id, value) => {
  const control = document.getElementById(id);
  control.value = value;
  control.dispatchEvent(new Event("input", { bubbles: true }));
}"""


def picture(browser, part):
    return browser.run(f"({PICTURE})({json.dumps(part)})")


def choose(browser, control, value):
    browser.run(f"({SET})({json.dumps(control)}, {json.dumps(value)})")


def test_the_page_opens_from_disk_without_a_complaint(report, browser, record_property):
    seconds = browser.open(report)
    record_property("seconds to open", round(seconds, 2))
    print(f"{report.parent.name}: {report.stat().st_size / 1e6:.2f} MB, open in {seconds:.2f} s")
    assert browser.complaints() == []
    assert browser.run("document.getElementById('x-trouble').hidden")
    asked = [event["params"]["request"]["url"] for event in browser.events if event["method"] == "Network.requestWillBeSent"]
    assert all(url.startswith(("file:", "data:", "blob:")) for url in asked), asked
    text = re.sub(r'"http://www.w3.org/2000/svg"', "", report.read_text())
    assert "http:" not in text and "https:" not in text
    browser.screenshot(f"{report.parent.name}-light")


@pytest.mark.parametrize(
    "control, value, parts",
    [
        ("x-input", "1", ["x-fields", "x-marginal", "x-realizations", "x-exceedance"]),
        ("x-run", "1", ["x-fields", "x-realizations", "x-exceedance", "x-marginal"]),
        ("x-view", "residual", ["x-fields", "x-marginal", "x-realizations", "x-exceedance"]),
        ("x-as", "difference", ["x-fields"]),
        ("x-realization", "2", ["x-realizations", "x-realization-text"]),
        ("x-threshold", "80", ["x-exceedance", "x-threshold-text"]),
        ("x-place-0", "2", ["x-marginal", "x-point", "x-fields"]),
    ],
)
def test_a_control_changes_what_it_should_and_back(report, browser, control, value, parts):
    browser.open(report)
    before = {part: picture(browser, part) for part in parts}
    old = browser.run(f"document.getElementById('{control}').value")
    choose(browser, control, value)
    after = {part: picture(browser, part) for part in parts}
    assert [part for part in parts if after[part] == before[part]] == []
    choose(browser, control, old)
    canonical = re.compile(r"clip\d+")
    back = {part: canonical.sub("", picture(browser, part)) for part in parts}
    assert back == {part: canonical.sub("", text) for part, text in before.items()}
    assert browser.complaints() == []


def test_new_inputs_are_shown_without_a_truth(new_report, browser):
    browser.open(new_report)
    assert browser.complaints() == []
    assert browser.run("document.getElementById('x-trouble').hidden")
    assert browser.run("document.getElementById('x-as-box').hidden"), "there is no truth to differ from"
    names = browser.run("[...document.querySelectorAll('#x-marginal .scale span')].map((span) => span.textContent)")
    assert names == ["low fidelity", "FLORAL", "FLORAL-KL"]
    assert "novelty" in browser.run("document.getElementById('x-certainty').textContent")
    for control, value, part in (
        ("x-input", "1", "x-fields"),
        ("x-run", "0", "x-marginal"),
        ("x-view", "residual", "x-fields"),
        ("x-realization", "2", "x-realizations"),
        ("x-threshold", "80", "x-exceedance"),
    ):
        before = picture(browser, part)
        choose(browser, control, value)
        assert picture(browser, part) != before, control
    assert browser.complaints() == []
    browser.screenshot(f"{new_report.parent.name}-new")


def test_bands_hold_ninety_percent_until_another_is_chosen(report, browser):
    browser.open(report)
    if browser.run("document.getElementById('x-band-box').hidden"):
        return
    assert browser.run("document.getElementById('x-band').value") == "level 0.9"
    titles = "document.getElementById('x-fields').textContent"
    assert "90 % of realizations" in browser.run(titles)
    before = picture(browser, "x-fields")
    choose(browser, "x-band", "std 5")
    assert picture(browser, "x-fields") != before and "± 5 std" in browser.run(titles)
    assert browser.complaints() == []


# How much wider the page is than the window, commands that are cut off, and whether the last column of every
# table can be scrolled into sight beside the first.
LAYOUT = """(() => {
  const cut = [...document.querySelectorAll("pre")].filter((pre) => pre.scrollWidth > pre.clientWidth + 1);
  const tables = [...document.querySelectorAll(".table")].filter((box) => box.offsetWidth).map((box) => {
    box.scrollLeft = box.scrollWidth;
    const [first, last] = ["thead th", "thead th:last-child"].map((cell) => box.querySelector(cell).getBoundingClientRect());
    box.scrollLeft = 0;
    return last.right <= box.getBoundingClientRect().right + 1 && last.left >= first.right - 1;
  });
  return { wide: document.documentElement.scrollWidth - window.innerWidth, cut: cut.length, tables };
})()"""


@pytest.mark.parametrize("width", [1200, 420])
def test_every_column_is_in_reach_and_nothing_is_cut(report, new_report, browser, width):
    for page in (report, new_report):
        browser.open(page, width=width)
        layout = browser.run(LAYOUT)
        assert layout["wide"] <= 0 and layout["cut"] == 0, layout
        assert layout["tables"] and all(layout["tables"]), layout
        assert browser.run(ILLEGIBLE) == []
        browser.screenshot(f"{page.parent.name}-{page.stem}-{width}")


# Labels of drawings that are cut off or overlap, with a tolerance of a pixel or two.
ILLEGIBLE = """(() => {
  const found = [];
  for (const svg of document.querySelectorAll("svg[role=img]")) {
    const page = svg.getBoundingClientRect();
    if (!page.width) continue;
    const texts = [...svg.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
    for (const [words, box] of texts) {
      const isInside = box.left > page.left - 2 && box.right < page.right + 2 && box.top > page.top - 2 && box.bottom < page.bottom + 2;
      if (!isInside) found.push(`${words} is cut`);
    }
    texts.forEach(([words, box], i) => {
      for (const [other, beside] of texts.slice(0, i)) {
        const wide = Math.min(box.right, beside.right) - Math.max(box.left, beside.left);
        const high = Math.min(box.bottom, beside.bottom) - Math.max(box.top, beside.top);
        if (wide > 1 && high > 5) found.push(`${words} lies over ${other}`);
      }
    });
  }
  return found;
})()"""


@pytest.mark.parametrize("width", [1280, 390])
def test_no_label_is_cut_or_overprinted(report, browser, width):
    browser.open(report, width=width)
    assert browser.run(ILLEGIBLE) == []
    choose(browser, "x-view", "residual")
    assert browser.run(ILLEGIBLE) == []


def test_channels_are_chosen_by_name_and_each_has_its_own_scale(report, browser):
    browser.open(report)
    names = browser.run("[...document.getElementById('x-channel').options].map((option) => option.text)")
    is_hidden = browser.run("document.getElementById('x-channel-box').hidden")
    assert is_hidden == (len(names) == 1)
    if len(names) == 1:
        return
    assert names == ["deflection [m]", "pressure [Pa]"]
    scale = "document.querySelector('#x-fields .scale').textContent"
    assert "10⁻⁹ m" in browser.run(scale)
    choose(browser, "x-channel", "1")
    assert "10⁵ Pa" in browser.run(scale)
    box = browser.run("(() => { const b = document.querySelector('#x-fields canvas').getBoundingClientRect(); return b.height / b.width })()")
    assert abs(box - 2 / 1.2) < 0.02
    assert browser.complaints() == []


def test_what_is_never_negative_has_no_density_below_zero(report, browser):
    browser.open(report)
    if browser.run("document.getElementById('x-channel').options[0].text") != "deflection [m]":
        return
    # The truth is drawn first; its density is zero to the left of the tick at zero.
    lowest = browser.run(
        """(() => {
          const chart = document.querySelector("#x-marginal svg");
          const zero = [...chart.querySelectorAll("text")].find((text) => text.textContent === "0" && text.getAttribute("text-anchor") === "middle");
          const points = chart.querySelector("g path").getAttribute("d").match(/[\\d.]+ [\\d.]+/g).map((pair) => pair.split(" ").map(Number));
          const bottom = Math.max(...points.map((point) => point[1]));
          const left = zero ? Number(zero.getAttribute("x")) : 0;
          return points.filter(([x, y]) => x < left - 3 && y < bottom - 0.2).length;
        })()"""
    )
    assert lowest == 0


def test_buttons_step_through_all_realizations_and_around(report, browser):
    browser.open(report)
    seen = []
    for _ in range(6):
        seen.append(browser.run("document.getElementById('x-realization-text').textContent"))
        browser.run("document.getElementById('x-next').click()")
    assert seen == ["1 of 5", "2 of 5", "3 of 5", "4 of 5", "5 of 5", "1 of 5"]


def test_a_click_into_a_picture_chooses_its_point(report, browser):
    browser.open(report)
    before = picture(browser, "x-point")
    place = browser.run(
        """(() => {
          const target = document.querySelector("#x-fields canvas.map, #x-fields svg.plot");
          target.scrollIntoView({ block: "center" });
          const box = target.getBoundingClientRect();
          return [box.left + 0.3 * box.width, box.top + 0.3 * box.height];
        })()"""
    )
    for kind in ("mousePressed", "mouseReleased"):
        browser.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)
    assert picture(browser, "x-point") != before
    assert browser.complaints() == []


def test_every_control_has_a_name_and_the_keyboard_reaches_it(report, browser):
    browser.open(report)
    nameless = browser.run(
        """[...document.querySelectorAll("select, input, button")]
             .filter((c) => !c.closest("label") && !c.getAttribute("aria-label")).map((c) => c.id)"""
    )
    assert nameless == []
    browser.run("document.getElementById('x-threshold').focus()")
    before = picture(browser, "x-threshold-text")
    for kind in ("keyDown", "keyUp"):
        browser.call("Input.dispatchKeyEvent", type=kind, key="ArrowRight", code="ArrowRight", windowsVirtualKeyCode=39)
    assert picture(browser, "x-threshold-text") != before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_needs_no_sideways_scrolling_and_themes_differ(report, browser, scheme):
    browser.open(report, width=390, height=844, scheme=scheme)
    width = browser.run("document.documentElement.scrollWidth")
    assert width <= 390
    paper = browser.run("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
    assert browser.complaints() == []
    browser.screenshot(f"{report.parent.name}-phone-{scheme}")
    browser.open(report, scheme=scheme)
    browser.screenshot(f"{report.parent.name}-{scheme}")
