from crosslabel.lab.published import Published, Ratio, Reason


def test_published_values_of_a_spec_keep_value_deviation_and_mark(spec):
    ours, quoted = spec.published
    assert ours == Published("global", "10", "accuracy", 90.0, 1.5, quoted=False)
    assert quoted == Published("K-SVD", "10", "accuracy", 80.0, None, quoted=True)
    assert spec.ratios == (Ratio("fit_seconds", "global", "CRC", "10"),)
    assert spec.reasons == (Reason("Few pixels.", "global", ""),)
