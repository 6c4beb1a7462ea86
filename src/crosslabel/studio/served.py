"""Ask a model that `crosslabel serve` serves, at the address that the user gave at the start."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from urllib.parse import urlsplit

from crosslabel.studio.asking import Said

SECONDS = 20.0
MOST_BYTES = 4 * 2**20


def checked_address(address: str) -> str:
    """The address of a served model, as `http://127.0.0.1:8080/v2/models/pets`.

    Parameters
    ----------
    address : str
    """
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or "/v2/models/" not in parts.path:
        raise ValueError(
            f"{address!r} is no served model. Give its address, as "
            "http://127.0.0.1:8080/v2/models/pets."
        )
    return address.rstrip("/")


def ask_served(address: str, content: bytes, token: str | None = None) -> Said:
    """What the served model says of a picture.

    Parameters
    ----------
    address : str
        From `checked_address`.
    content : bytes
        Of an image file.
    token : str, optional
        What the server wants.

    Returns
    -------
    dict
        As the studio's own answer: `classes`, the best first.
    """
    headers = {"Content-Type": "application/octet-stream"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(f"{address}/classify", content, headers)
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as response:
            said = json.loads(response.read(MOST_BYTES))["images"][0]
    except urllib.error.HTTPError as error:
        raise ValueError(
            f"The served model refuses: {error.read(400).decode('utf-8', 'replace')}"
        ) from None
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        raise ValueError(f"The served model does not answer: {error}.") from None
    if "problem" in said:
        raise ValueError(str(said["problem"]))
    found = said.get("probabilities") or {said["label"]: 1.0}
    classes = [{"name": name, "probability": p} for name, p in list(found.items())[:6]]
    return {"ready": True, "classes": classes, "stranger": None, "behind": []}
