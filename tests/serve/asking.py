"""Requests as a client of the standard library sends them."""

import json
import urllib.error
import urllib.request


def ask(address, body=None, method=None, **headers):
    """Status, headers and content of an answer."""
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(address, body, named, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, response.headers, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def asked(address, body=None, **headers):
    """The JSON of an answer that must be good."""
    status, _, content = ask(address, body, **headers)
    assert status == 200, content
    return json.loads(content)
