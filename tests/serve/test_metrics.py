from types import SimpleNamespace

from crosslabel.serve.metrics import SECONDS, Metrics


def test_counts_and_times_in_the_text_format():
    metrics = Metrics()
    metrics.tell("pets", "infer", 200, 0.004, 3)
    metrics.tell("pets", "infer", 200, 0.005, 2)
    metrics.tell("pets", "infer", 400, 99.0)
    served = [SimpleNamespace(name='a"b\\', loads=2, failures=1)]
    lines = metrics.text(served).splitlines()
    assert 'crosslabel_requests_total{model="pets",what="infer",status="200"} 2' in lines
    assert 'crosslabel_requests_total{model="pets",what="infer",status="400"} 1' in lines
    assert 'crosslabel_rows_total{model="pets"} 5' in lines
    buckets = {
        line.split('le="')[1].split('"')[0]: int(line.split()[-1])
        for line in lines
        if "_bucket" in line
    }
    assert buckets["0.0025"] == 0
    assert buckets["0.005"] == 2
    assert buckets["5.0"] == 2
    assert buckets["+Inf"] == 3
    assert len(buckets) == len(SECONDS) + 1
    assert 'crosslabel_request_seconds_sum{model="pets"} 99.009000' in lines
    assert 'crosslabel_loads_total{model="a\\"b\\\\"} 2' in lines
    named = {line.split()[2] for line in lines if line.startswith("# TYPE")}
    used = {line.split("{")[0] for line in lines if not line.startswith("#")}
    assert {
        name.removesuffix("_bucket").removesuffix("_sum").removesuffix("_count") for name in used
    } == named
