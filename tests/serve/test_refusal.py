import asyncio
import json

from crosslabel.serve.refusal import MOST_SAID, Refusal, send_refusal


def test_a_refusal_is_json_with_its_status_and_ends_the_connection():
    sent = []

    async def send(message):
        sent.append(message)

    asyncio.run(send_refusal(Refusal(418, 'No "tea" <b>here</b>.'), send))
    start, body = sent
    assert start["status"] == 418
    assert json.loads(body["body"]) == {"error": 'No "tea" <b>here</b>.'}
    assert dict(start["headers"])[b"connection"] == b"close"
    assert int(dict(start["headers"])[b"content-length"]) == len(body["body"])


def test_a_long_reason_is_cut():
    assert len(json.loads(Refusal(400, "x" * 10_000).body)["error"]) == MOST_SAID
