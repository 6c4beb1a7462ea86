import asyncio

import pytest

from crosslabel.serve.guard import PROTECTION, Door, guarded, name_of
from crosslabel.serve.refusal import Refusal

HERE = {b"host": b"127.0.0.1:8080"}


@pytest.mark.parametrize(
    "headers",
    [
        HERE,
        {b"host": b"localhost"},
        {b"host": b"LOCALHOST:99"},
        {b"host": b"[::1]:8080"},
        {**HERE, b"origin": b"http://127.0.0.1:8080"},
        {**HERE, b"sec-fetch-site": b"same-origin"},
    ],
)
def test_who_may_pass(headers):
    Door().check("POST", headers)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {b"host": b"evil.example:8080"},
        {b"host": b"127.0.0.1.evil.example"},
        {b"host": b"localhost.evil.example:8080"},
        {b"host": b"127.0.0.1:8080@evil.example"},
        {**HERE, b"origin": b"http://evil.example"},
        {**HERE, b"origin": b"null"},
        {**HERE, b"origin": b"http://127.0.0.1:9999"},
        {**HERE, b"origin": b"http://localhost:8080"},
        {**HERE, b"sec-fetch-site": b"cross-site"},
        {**HERE, b"sec-fetch-site": b"same-site"},
    ],
)
def test_who_may_not(headers):
    with pytest.raises(Refusal) as caught:
        Door().check("POST", headers)
    assert caught.value.status == 403


def test_a_token_is_asked_for_whole():
    door = Door(frozenset(), "secret")
    door.check("GET", {b"host": b"any.example", b"authorization": b"Bearer secret"})
    for said in (b"", b"Bearer ", b"Bearer secre", b"Bearer secret2", b"secret", b"Basic secret"):
        with pytest.raises(Refusal) as caught:
            door.check("GET", {b"host": b"any.example", b"authorization": said})
        assert caught.value.status == 401


def test_a_host_without_its_port():
    assert [name_of(host) for host in ("a:1", "a", "[::1]:1", "[::1]", "a:b")] == [
        *("a", "a", "[::1]", "[::1]", "a:b")
    ]


def answers(app, headers, kind="http"):
    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": kind, "method": "GET", "headers": headers}
    asyncio.run(guarded(app, Door())(scope, None, send))
    return sent


async def hello(scope, receive, send):
    start = {"type": "http.response.start", "status": 200, "headers": [(b"cache-control", b"no")]}
    await send(start)


def test_every_answer_is_protected_and_keeps_its_own_headers():
    (start,) = answers(hello, list(HERE.items()))
    found = dict(start["headers"])
    assert found[b"cache-control"] == b"no"
    assert set(found) == {name for name, _ in PROTECTION}
    assert b"'unsafe" not in found[b"content-security-policy"]
    assert b"script-src 'self'" in found[b"content-security-policy"]


def test_two_hosts_are_none_and_a_websocket_is_not_answered():
    two = [(b"host", b"127.0.0.1"), (b"host", b"evil.example")]
    assert answers(hello, two)[0]["status"] == 400
    assert answers(hello, list(HERE.items()), "websocket") == []
