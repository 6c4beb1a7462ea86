"""The studio over HTTP: its door, two pages at once, and requests that no page would send."""

import json
import os
import threading
import time
import urllib.request
from contextlib import contextmanager

import pytest

from crosslabel.serve.guard import Door
from crosslabel.studio.app import Pages, application, page_files
from crosslabel.studio.events import Events
from crosslabel.studio.studio import Studio
from tests.serve.asking import ask, asked
from tests.serve.conftest import address as served_address  # noqa: F401
from tests.serve.conftest import model_files, running  # noqa: F401
from tests.studio.conftest import drawing
from tests.studio.hostile import attack

TOKEN = "token-of-the-tests"


@contextmanager
def open_studio(root, served=None):
    """The address of a studio, with its token, and the studio."""
    events = Events()
    studio = Studio(root, "pixels", events.tell)
    pages = Pages(studio, events, served)
    with running(application(studio, TOKEN, pages, Door()), events.close) as found:
        yield f"{found}/{TOKEN}/", studio


@pytest.fixture
def page(root):
    with open_studio(root) as (found, studio):
        wait(lambda: studio.study is not None)
        yield found


def wait(what):
    for _ in range(1200):
        if what():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come to pass")


def put(page, kind, seed, to, **more):
    staged = asked(f"{page}api/staged", drawing(kind, seed))["staged"]
    one = {"staged": staged, "name": "x.png", "to": to}
    return asked(f"{page}api/change", {"do": "add", "pictures": [one], **more})


def test_drop_ask_undo_and_take_away(page):
    first = asked(f"{page}api/ask", drawing(1, 8))
    assert first["classes"][0]["name"] == "corner"
    assert first["stranger"] in (True, False)
    said = put(page, 1, 9, "ball", asking=first["asked"])
    assert said["answer"]["asked"] == first["asked"]
    assert len(said["shelves"]["ball"]) == 7
    key = said["shelves"]["ball"][-1][1]
    status, headers, content = ask(f"{page}thumbnail/{key}")
    assert (status, headers["content-type"]) == (200, "image/webp")
    assert "immutable" in headers["cache-control"]
    assert asked(f"{page}api/undo", b"")["redo"] == "Added 1 picture to ball"
    assert asked(f"{page}api/redo", b"{}")["undo"] == "Added 1 picture to ball"
    status, headers, content = ask(f"{page}take/model.skops")
    assert content[:2] == b"PK"
    assert 'filename="model.skops"' in headers["content-disposition"]
    assert asked(f"{page}api/study")["ready"]
    assert isinstance(asked(f"{page}api/doubts"), list)
    assert asked(f"{page}api/unsorted") == []


def test_the_token_is_the_only_way_in(page):
    base = page.removesuffix(f"{TOKEN}/")
    for path in (
        "",
        TOKEN,
        f"{TOKEN}x/",
        f"{TOKEN[:-1]}/",
        "api/state",
        "index.html",
        f"x/{TOKEN}/",
    ):
        assert ask(base + path)[0] == 404
    assert ask(f"{page}api/state", Host="evil.example")[0] == 403
    assert ask(f"{page}api/undo", b"{}", Origin="http://evil.example")[0] == 403


def test_files_of_the_page_have_their_types_and_no_inline_script(page):
    found = page_files()
    assert {"index.html", "main.js", "studio.css", "report.css", "report.js"} <= set(found)
    for name, (content, kind) in found.items():
        status, headers, sent = ask(page + name)
        assert (status, headers["content-type"], sent) == (200, kind, content)
    html = found["index.html"][0].decode()
    assert "<script>" not in html
    assert " style=" not in html
    assert " onclick" not in html
    script = b"".join(content for name, (content, _) in found.items() if name.endswith(".js"))
    for way_in in (b"innerHTML", b"outerHTML", b"insertAdjacentHTML", b"document.write", b"eval("):
        assert way_in not in script


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("nothing.js", None, 404),
        ("api/asked/nothing", None, 404),
        ("thumbnail/nothing", None, 404),
        ("take/nothing", None, 404),
        ("api/served", b"x", 404),
        ("api/staged", b"no picture", 415),
        ("api/ask", b"", 415),
        ("api/change", b"[]", 400),
        ("api/change", b'{"do": "rename", "class": "nothing", "name": "x"}', 404),
        ("api/change", b'{"do": "new-class", "name": "../x"}', 400),
        ("api/redo", b"{}", 400),
    ],
)
def test_mistakes_are_sentences(page, path, body, status):
    found, _, content = ask(page + path, body)
    assert found == status
    assert json.loads(content)["error"].endswith((".", "!", "x"))


def test_a_served_model_is_asked_from_the_page(root, served_address):  # noqa: F811
    with open_studio(root, f"{served_address}/v2/models/shapes") as (page, _):
        said = asked(f"{page}api/served", drawing(0, 3))
        assert said["classes"][0]["name"] == "ball"
        assert asked(f"{page}api/state")["served"].endswith("/shapes")


def listened(page, events, until):
    with urllib.request.urlopen(f"{page}api/events", timeout=60) as stream:
        events.append("open")
        for line in stream:
            if line.startswith(b"data: "):
                said = json.loads(line[6:])
                if said["event"] == "changed":
                    events.append(said)
                    if said["version"] >= until:
                        return


def test_two_pages_see_each_others_changes_and_nothing_is_lost(page, root):
    events = [[], []]
    listeners = [threading.Thread(target=listened, args=(page, own, 12)) for own in events]
    for one in listeners:
        one.start()
    wait(lambda: all(events))
    workers = [
        threading.Thread(
            target=lambda kind=kind: [put(page, kind, 50 + n, "ball") for n in range(6)]
        )
        for kind in (0, 1)
    ]
    for one in workers:
        one.start()
    for one in [*workers, *listeners]:
        one.join(60)
    versions = [[said["version"] for said in own[1:]] for own in events]
    assert versions[0] == versions[1] == list(range(1, 13))
    state = asked(f"{page}api/state")
    assert len(state["shelves"]["ball"]) == 18
    assert len(list((root / "ball").iterdir())) == 18
    for _ in range(12):
        asked(f"{page}api/undo", b"{}")
    assert len(asked(f"{page}api/state")["shelves"]["ball"]) == 6


def paths(token):
    own = ("api/staged", "api/change", "api/undo", "api/redo", "api/ask", "api/state", "api/study",
           "api/doubts", "api/unsorted", "api/asked/x", "thumbnail/x", "take/model.onnx", "main.js",
           "")  # fmt: skip
    return [f"/{token}/{path}" for path in own]


def attacked(root, count, seed):
    """No 5xx, no file outside of the folder, no class or picture with markup in its name."""
    outside = root.parent
    before = set(outside.iterdir())
    with open_studio(root) as (page, studio):
        found = attack(page.split("/")[2], paths(TOKEN), count, seed)
        assert ask(f"{page}api/state")[0] == 200
        assert not any("<" in name or "/" in name for name in studio.stock.shelves)
    assert not [status for status in found if status >= 500], found
    assert set(outside.iterdir()) == before
    tops = {place.name for place in root.iterdir() if place.is_dir()} - {".crosslabel"}
    for name in tops:
        assert not name.startswith(".")
    assert not (root / ".crosslabel" / "staged" / "..").resolve().joinpath("passwd").exists()
    assert os.path.commonpath([root, *(place.resolve() for place in root.rglob("*"))]) == str(root)
    return found


def test_hostile_requests(root):
    found = attacked(root, 120, seed=1)
    assert found[403] > 5
    assert found[400] > 5


def test_hostile_requests_to_served_models(served_address):  # noqa: F811
    own = [
        f"/v2/models/{name}/{last}" for name in ("rows", "shapes") for last in ("infer", "classify")
    ]
    found = attack(
        served_address.split("//")[1], [*own, "/v2", "/metrics", "/v2/models/rows"], 120, seed=2
    )
    assert not [status for status in found if status >= 500], found
    assert asked(f"{served_address}/v2")["name"] == "crosslabel"


@pytest.mark.slow
def test_two_thousand_hostile_requests(root, served_address):  # noqa: F811
    seed = int.from_bytes(os.urandom(4), "big")
    print(f"seed {seed}")
    attacked(root, 1000, seed)
    own = [
        f"/v2/models/{name}/{last}" for name in ("rows", "shapes") for last in ("infer", "classify")
    ]
    found = attack(served_address.split("//")[1], own, 1000, seed + 1)
    assert not [status for status in found if status >= 500], found
