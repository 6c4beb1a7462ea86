import numpy as np
import pytest

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
