import numpy as np
import pytest

from crosslabel.datasets import load_clip_folder
from crosslabel.media import clips
from crosslabel.media.clips import read_clip
from crosslabel.media.unreadable import UnreadableFile


def write_video(path, clip):
    av = pytest.importorskip("av")
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=25)
        stream.height, stream.width = clip.shape[1:]
        stream.pix_fmt = "yuv420p"
        for pixels in clip:
            frame = av.VideoFrame.from_ndarray(np.repeat(pixels[..., None], 3, -1), format="rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


CLIP = (np.arange(10)[:, None, None] * 20 + np.zeros((10, 32, 48))).astype(np.uint8)


def test_clips_from_video_and_array_files(tmp_path):
    write_video(tmp_path / "a.avi", CLIP)
    np.testing.assert_allclose(read_clip(tmp_path / "a.avi"), CLIP.astype(float), atol=12)
    np.save(tmp_path / "a.npy", CLIP)
    np.testing.assert_array_equal(read_clip(tmp_path / "a.npy"), CLIP)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("empty.avi", b"", "empty"),
        ("text.avi", b"no video at all" * 99, "damaged or no video"),
        ("text.npy", b"no array at all" * 99, "no NumPy array"),
    ],
)
def test_unreadable_clips(tmp_path, name, content, reason):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UnreadableFile, match=reason):
        read_clip(tmp_path / name)


def test_a_picture_is_no_clip(tmp_path):
    np.save(tmp_path / "flat.npy", CLIP[0])
    with pytest.raises(UnreadableFile, match=r"shape is \(32, 48\)"):
        read_clip(tmp_path / "flat.npy")
    with pytest.raises(UnreadableFile):
        read_clip(tmp_path / "absent.avi")


def test_a_clip_beyond_the_limit_is_refused_while_it_is_read(tmp_path, monkeypatch):
    write_video(tmp_path / "a.avi", CLIP)
    monkeypatch.setenv("CROSSLABEL_BUDGET", f"bytes={10 * CLIP[0].size}")
    monkeypatch.setattr(clips, "FRAMES_HELD", 1)
    with pytest.raises(UnreadableFile, match=r"bytes, more than the limit.*CROSSLABEL_BUDGET"):
        read_clip(tmp_path / "a.avi")


def hostile_arrays(tmp_path):
    """Files named .npy that are none, or hold what no clip holds."""
    header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (6000000, 1000, 1), }"
    head = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    with open(tmp_path / "holes.npy", "wb") as file:
        file.write(head)
        file.truncate(len(head) + 6 * 10**9)
    (tmp_path / "header.npy").write_bytes(b"\x93NUMPY\x02\x00" + b"\xff" * 99)
    with open(tmp_path / "zip.npy", "wb") as file:
        np.savez(file, CLIP)
    np.save(tmp_path / "nan.npy", CLIP * np.nan)
    np.save(tmp_path / "text.npy", np.full((3, 3, 3), "x"))
    return {
        "holes.npy": "6 G bytes, more than the limit.*CROSSLABEL_BUDGET",
        "header.npy": "a header of 4294967295 bytes",
        "zip.npy": "this is no NumPy array",
        "nan.npy": "NaN or infinity",
        "text.npy": "must hold numbers",
    }


def test_arrays_that_are_no_clips_are_named(tmp_path):
    for name, reason in hostile_arrays(tmp_path).items():
        with pytest.raises(UnreadableFile, match=f"{name}: .*{reason}"):
            read_clip(tmp_path / name)


def test_one_bad_clip_does_not_end_the_others(tmp_path):
    (tmp_path / "a").mkdir()
    bad = hostile_arrays(tmp_path / "a")
    for number in range(8):
        np.save(tmp_path / "a" / f"{number}.npy", CLIP)
    data = load_clip_folder(tmp_path)
    assert len(data.filenames) == 8
    assert {item.path.name for item in data.skipped} == bad.keys()
