from crosslabel.lab.published import Published, Target


def test_published_values_of_a_spec_keep_value_deviation_and_mark(spec):
    ours, quoted = spec.published
    assert ours == Published("global", "10", "accuracy", 90.0, 1.5, "measured")
    assert quoted == Published("K-SVD", "10", "accuracy", 80.0, None, "quoted")
    assert spec.targets == (Target("global", "10", "accuracy", 85.0),)
    assert spec.ratios[0].at_least == 0.0
