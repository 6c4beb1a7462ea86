"""What goes on while nobody waits: look at pictures, choose settings, study the model."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from crosslabel.studio.studio import Studio
from crosslabel.studio.study import Interrupted, curve, held_out

QUIET = 0.8
"""Seconds without a change before anything is studied."""
EVERY = 2.0
"""Seconds between two looks at the folder, which others may change too."""
SHOWN_AT_ONCE = 25
"""Pictures that are looked at before the model follows."""


class Worker:
    """Works on a thread of its own until `stop`.

    Parameters
    ----------
    studio : Studio
    """

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self._run, name="studio", daemon=True)

    def start(self) -> None:
        """Begin."""
        self.thread.start()

    def stop(self) -> None:
        """End after the model that is being learnt."""
        self.stopped.set()
        self.studio.work.set()
        self.thread.join(timeout=20)

    def _run(self) -> None:
        while not self.stopped.is_set():
            if not self.studio.work.wait(EVERY):
                self._guarded(self.studio.look)
                continue
            self.studio.work.clear()
            self._guarded(self.work)

    def _guarded(self, task: Callable[[], object]) -> None:
        """One task; a fault is told and does not end the studio."""
        try:
            task()
        except Interrupted:
            self.studio.work.set()
        except Exception:
            traceback.print_exc(file=sys.stderr)
            self.studio.tell({"event": "fault"})

    def work(self) -> None:
        """All that a change leaves to do; a further change begins it anew."""
        studio = self.studio
        self._look_at_pictures()
        version, teacher = studio.version, studio.teacher

        def stop() -> bool:
            return studio.version != version or self.stopped.is_set()

        time.sleep(QUIET)
        if stop():
            raise Interrupted
        if teacher.settle():
            studio.tell({"event": "settled", "version": version})
        pictures = teacher.pictures()
        if len(pictures.names) > 1 and np.bincount(pictures.labels).max() > 1:
            studio.study = held_out(pictures, version, stop)
            studio.tell({"event": "study", "version": version})
            points = list(curve(pictures, stop))
            studio.study = replace(studio.study, curve=points)
        else:
            studio.study = None
        studio.tell({"event": "study", "version": version})
        studio.keep()

    def _look_at_pictures(self) -> None:
        """Look at what nobody has looked at, and let the model follow."""
        studio = self.studio
        while unseen := studio.teacher.unseen(studio.stock):
            for key, place in unseen[:SHOWN_AT_ONCE]:
                if self.stopped.is_set():
                    raise Interrupted
                studio.teacher.look_at(key, place)
            with studio.lock:
                studio.teacher.follow(studio.stock)
            studio.tell({"event": "looking", "left": max(0, len(unseen) - SHOWN_AT_ONCE)})
