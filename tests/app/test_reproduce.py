from typer.testing import CliRunner

from crosslabel.app.entry import application
from crosslabel.app.reproduce import lines, reproduce, selected
from crosslabel.lab import paper, spec_files
from crosslabel.lab.records import Store
from crosslabel.lab.spec_files import FOLDER, load_specs

from ..lab.conftest import spec, write_spec  # noqa: F401


def run(*words):
    return CliRunner().invoke(application("reproduce"), [str(word) for word in words])


def test_a_table_from_the_command_line_is_run_once(spec, tmp_path):  # noqa: F811
    words = ("reproduce", tmp_path / "small.toml", "--store", tmp_path / "store", "--quiet")
    first = run(*words, "--limit-splits", 1, "--only", "glob*")
    assert first.exit_code == 0, first.output
    assert "(1 of 3 splits)" in first.stdout
    assert "10 cells are not computed yet" in first.stdout
    files = {file: file.read_bytes() for file in (tmp_path / "store").glob("records/*.json")}
    assert len(files) == 2
    second = run(*words)
    assert second.exit_code == 0, second.output
    assert "published 90.00" in second.stdout
    assert "not computed yet" not in second.stdout
    assert len(list((tmp_path / "store").glob("records/*.json"))) == 12
    assert all(file.read_bytes() == content for file, content in files.items())


def test_absent_data_are_said_and_the_rest_runs(spec, tmp_path):  # noqa: F811
    done = run(
        "reproduce", "table-8", tmp_path / "small.toml", "--only", "global", "--limit-splits", 1,
        "--root", tmp_path, "--store", tmp_path / "store",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "Not run: The data set dyntexpp is not at" in done.stdout
    assert "published 90.00" in done.stdout
    everything = run("reproduce", "all", "--root", tmp_path, "--store", tmp_path / "store")
    assert everything.exit_code == 0, everything.output
    assert everything.stdout.count("Not run: The data set") == len(load_specs())
    alone = run("reproduce", "table-8", "--root", tmp_path, "--store", tmp_path / "store")
    assert alone.exit_code == 1


def test_mistakes_are_answered_in_one_sentence(tmp_path):
    done = run("reproduce", "table-99")
    assert done.exit_code == 1
    assert "There is no table or figure 'table-99'" in done.stderr
    done = run("reproduce", "table-1", "--only", "nobody", "--store", tmp_path)
    assert done.exit_code == 1
    assert "There is no method 'nobody' here. Known: " in done.stderr


def test_a_failed_cell_fails_the_command(write_spec, tmp_path):  # noqa: F811
    write_spec(('estimator = "CRC"', 'estimator = "CRC"\nparameters = { ridge = -1.0 }'))
    done = run(
        "reproduce", tmp_path / "small.toml", "--store", tmp_path / "store", "--limit-splits", 1
    )
    assert done.exit_code == 1
    assert "small CRC 10 0: InvalidParameterError: The 'ridge' parameter" in done.stdout


def test_all_leaves_out_tables_without_the_method():
    every = load_specs()
    having = {one.name for one in every if any(m.name == "COPAR" for m in one.methods)}
    assert {s.name for s in selected(["all"], ["copar"])} == having
    assert 0 < len(having) < len(every)
    assert [s.name for s in selected(["all"])] == [one.name for one in load_specs()]


def test_each_spec_is_parsed_once(monkeypatch):
    read = []
    loads = spec_files.tomllib.loads
    paper.sections()  # the printed values are read once for the whole process
    monkeypatch.setattr(spec_files.tomllib, "loads", lambda text: read.append(text) or loads(text))
    assert [s.name for s in selected(["table-2"])] == ["table-2"]
    assert len(read) == 1
    read.clear()
    everything = selected(["all", "table-2", "table-2"])
    assert len(everything) == len({s.name for s in everything}) == len(list(FOLDER.glob("*.toml")))
    assert len(read) == len(everything)


def test_watch_sees_every_cell(spec, tmp_path):  # noqa: F811
    seen = []
    result = reproduce(
        spec, Store(tmp_path / "s"), limit_splits=1, watch=lambda _, p: seen.append(p.finished)
    )
    assert seen == [1, 2, 3, 4]
    assert result.computed == 4
    assert next(lines(result)) == "small: Digits"


def test_methods_of_one_size_are_ranked(write_spec, tmp_path):  # noqa: F811
    ranked = write_spec(('estimator = "CRC"', 'estimator = "CRC"\nsame_size = true'))
    result = reproduce(ranked, Store(tmp_path / "s"), limit_splits=1)
    means = {cell.method.name: 0.0 for cell in result.records}
    for cell, record in result.records.items():
        if cell.setting.name == "10":
            means[cell.method.name] = 100 * record.accuracy
    order = ", ".join(f"{name} {means[name]:.2f}" for name in sorted(means, key=means.get)[::-1])
    assert f"  same dictionary size, 10: {order}" in list(lines(result))


def test_ratios_of_times_stand_beside_the_papers(write_spec, tmp_path):  # noqa: F811
    timed = write_spec(
        ('deviation = { "10" = 1.5 }', 'deviation = { "10" = 1.5 }\nfit_seconds = { "10" = 7.0 }'),
        ("[[ratio]]", '[published.CRC]\nfit_seconds = { "10" = 2.0 }\n\n[[ratio]]'),
    )
    result = reproduce(timed, Store(tmp_path / "s"), limit_splits=1)
    times = {c.method.name: r.fit_seconds for c, r in result.records.items() if c.place[2] == "10"}
    ours = f"{times['global'] / times['CRC']:.3g}"
    assert f"  fit seconds, global over CRC: {ours}; published 3.5" in list(lines(result))
