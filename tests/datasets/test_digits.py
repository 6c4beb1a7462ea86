from crosslabel.datasets import load_digits


def test_intensities_lie_between_0_and_1():
    data = load_digits()
    assert data.images.shape == (1797, 8, 8)
    assert (data.images.min(), data.images.max()) == (0, 1)
    assert data.target_names.tolist() == [str(digit) for digit in range(10)]
