import asyncio
import json

from crosslabel.studio import events as module
from crosslabel.studio.events import MOST_BEHIND, Events


def test_all_pages_hear_everything_in_order_and_the_end():
    async def talk():
        events = Events()
        events.loop = asyncio.get_running_loop()
        heard = [[], []]

        async def listen(into):
            into.extend([text async for text in events.stream()])

        pages = [asyncio.create_task(listen(into)) for into in heard]
        await asyncio.sleep(0.01)
        await asyncio.to_thread(events.tell, {"n": 1})
        events.tell({"n": 2, "text": "a\nb"})
        await asyncio.sleep(0.01)
        events.close()
        await asyncio.gather(*pages)
        assert events.listeners == set()
        return heard

    for page in asyncio.run(talk()):
        assert page[0].startswith(b":")
        said = [json.loads(text.removeprefix(b"data: ")) for text in page[1:]]
        assert said == [{"n": 1}, {"n": 2, "text": "a\nb"}]
        assert all(text.count(b"\n") == 2 for text in page)


def test_a_page_that_does_not_listen_is_let_go(monkeypatch):
    monkeypatch.setattr(module, "BEAT", 0.01)

    async def talk():
        events = Events()
        events.loop = asyncio.get_running_loop()
        stream = events.stream()
        await anext(stream)
        assert (await anext(stream)).startswith(b": still")
        for n in range(MOST_BEHIND + 2):
            events.tell({"n": n})
        await asyncio.sleep(0.01)
        assert events.listeners == set()
        return [text async for text in stream]

    assert len(asyncio.run(talk())) == MOST_BEHIND
