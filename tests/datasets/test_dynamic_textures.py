import numpy as np

from crosslabel.datasets import load_dynamic_textures


def test_clips_come_with_their_places_in_the_videos(tmp_path):
    clips = np.arange(3 * 2 * 2 * 2, dtype=np.uint8).reshape(3, 2, 2, 2)
    origins = np.arange(9).reshape(3, 3)
    place = tmp_path / "dynamic_textures" / "clips_50x50x50.npz"
    place.parent.mkdir()
    np.savez(place, clips=clips, label=["sea", "fire", "sea"], origin_tyx=origins)
    data = load_dynamic_textures(tmp_path)
    np.testing.assert_array_equal(data.images, clips)
    np.testing.assert_array_equal(data.origins, origins)
    assert data.target_names.tolist() == ["fire", "sea"]
    assert data.target.tolist() == [1, 0, 1]
