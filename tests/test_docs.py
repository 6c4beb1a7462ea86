"""The site says what is true: examples run, links lead somewhere, public names are explained."""

import ast
import doctest
import importlib
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import pytest

import crosslabel
from crosslabel import datasets, displays, features
from crosslabel.lazy import exported

mpl.use("Agg")
ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS / "_ext"))
method_examples = importlib.import_module("method_examples")
reference_pages = importlib.import_module("reference_pages")
command_pages = importlib.import_module("command_pages")
GENERATED = {"auto_examples", "api"}
PAGES = [
    *(page for page in DOCS.rglob("*.md") if not GENERATED & {*page.relative_to(DOCS).parts}),
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
]
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
PUBLIC = [
    pytest.param(package, name, id=f"{package.__name__}.{name}")
    for package in (crosslabel, features, datasets, displays)
    for name in package.__all__
    if name != "__version__"
] + [
    pytest.param(importlib.import_module(module), name, id=f"{module}.{name}")
    for package, paths in reference_pages.BEYOND.items()
    for module, _, name in (f"{package}.{path}".rpartition(".") for path in paths)
]


def named(page):
    return str(page.relative_to(ROOT))


@pytest.fixture(scope="module")
def reference():
    return reference_pages.pages()


@pytest.fixture
def drawn():
    yield
    from matplotlib import pyplot

    pyplot.close("all")


@pytest.mark.parametrize(("package", "name"), PUBLIC)
def test_a_public_name_has_an_example_that_holds(package, name, drawn):
    found = getattr(package, name)
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    if isinstance(found, dict | list | tuple):  # a list says what it is where it is defined
        return
    tests = finder.find(found, name)
    assert any(test.examples for test in tests), f"{name} has no example"
    assert sum(runner.run(test).failed for test in tests) == 0


METHODS = [
    pytest.param(one.values[0], one.values[1], name, id=f"{one.id}.{name}")
    for one in PUBLIC
    for owner in [getattr(*one.values)]
    if inspect.isclass(owner)
    for name, member in inspect.getmembers(owner, callable)
    if not name.startswith("_") and method_examples.is_shown(name, member)
]


@pytest.mark.parametrize(("package", "name", "method"), METHODS)
def test_a_method_that_the_reference_shows_has_an_example(package, name, method):
    """One of its own, one that is kept for it, or a call in the example of its class."""
    owner = getattr(package, name)
    calls = rf"(fit_transform|{method})\(" if method in ("fit", "transform") else rf"{method}\("
    in_class = re.search(rf">>>.*\.{calls}", owner.__doc__ or "")
    own = ">>>" in (getattr(owner, method).__doc__ or "")
    assert in_class or own or method_examples.example(owner, method)


@pytest.mark.parametrize(("owner", "method"), [*method_examples.all_examples()])
def test_an_example_of_a_method_holds_and_calls_it(owner, method, drawn):
    told = method_examples.EXAMPLES[owner]
    first = method_examples.EXAMPLES.get(told["first"], told)["first"]
    test = doctest.DocTestParser().get_doctest(first + told[method], {}, method, owner, 0)
    assert doctest.DocTestRunner().run(test).failed == 0
    assert f"{method}(" in told[method] or f".{method}(" in first
    inherits = (getattr(one.values[0], one.values[1]) for one in METHODS if one.values[2] == method)
    assert any(owner in (base.__name__ for base in one.__mro__) for one in inherits)


@pytest.mark.parametrize(("package", "name"), PUBLIC)
def test_a_public_name_stands_in_the_reference(package, name, reference):
    """The pages are written from the packages' own lists; each names all that is public."""
    listed = set()
    for page in reference.values():
        for module, names in re.findall(
            r"currentmodule:: (\S+)\n(.*?)(?=\n\.\. c|\Z)", page, re.DOTALL
        ):
            listed |= {
                f"{module}.{one}" for one in re.findall(r"^   ([\w.]+)$", names, re.MULTILINE)
            }
    assert f"{package.__name__}.{name}" in listed


CALLED = [
    *PUBLIC,
    *(pytest.param(getattr(*one.values[:2]), one.values[2], id=one.id) for one in METHODS),
]


@pytest.mark.parametrize(("owner", "name"), CALLED)
def test_every_parameter_is_told_of(owner, name):
    found = getattr(owner, name)
    if isinstance(found, dict | list | tuple) or (
        isinstance(found, type) and issubclass(found, BaseException)
    ):
        return
    told = inspect.getdoc(found) or ""
    parts = re.split(r"\n(?:Parameters|Attributes)\n-+\n", f"\n{told}")[1:]
    lines = re.findall(r"^(\*{0,2}\w[\w, *]*?)(?: : .*)?$", "\n".join(parts), re.MULTILINE)
    names = {one.strip("* ") for line in lines for one in line.split(",")}
    own = {*inspect.signature(found).parameters} - {"self"}
    assert own <= names, f"{name} does not tell of {sorted(own - names)}"


COMMANDS = {command.name: command for command in command_pages.commands()}


def unknown_options(line):
    """Options of a typed command that it does not have."""
    words = line.partition("  #")[0].split()[1:]
    name = " ".join(words[: 2 if words[0] == "data" else 1])
    options = {"--help", "--version"}
    for told, _ in COMMANDS[name].parameters if name in COMMANDS else []:
        options |= set(re.findall(r"--?[a-z][\w-]*", told))
    assert name in COMMANDS or words[0] in {"--version", "COMMAND"}, line
    return {word for word in words if re.match(r"--?[a-z]", word)} - options


@pytest.mark.parametrize("command", COMMANDS.values(), ids=lambda one: one.name)
def test_a_command_has_examples_and_words_that_are_told_of(command, reference):
    assert f"\ncrosslabel {command.name}\n" in reference["commands"]
    assert command.about
    assert all(told.strip() for _, told in command.parameters)
    ours = [line for line in command.examples if line.startswith(f"crosslabel {command.name}")]
    assert ours
    assert not any(unknown_options(line) for line in ours)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_on_a_page_are_the_command_lines(page):
    for line in re.findall(r"^\$ (crosslabel .*)$", page.read_text("utf-8"), re.MULTILINE):
        assert not unknown_options(line), line


def test_what_pages_and_examples_import_stands_in_the_reference():
    public = {f"{one.values[0].__name__}.{one.values[1]}" for one in PUBLIC}
    for page in {*PAGES, *EXAMPLES} - {ROOT / "CONTRIBUTING.md"}:  # whose examples are new names
        imported = re.findall(
            r"^(?:>>> )?from (crosslabel[\w.]*) import (.+)$", page.read_text("utf-8"), re.MULTILINE
        )
        for module, names in imported:
            for name in names.partition("  #")[0].split(","):
                assert f"{module}.{name.strip()}" in public, f"{named(page)}: {module}, {name}"


def test_what_a_stub_declares_is_what_is_public():
    for package in (crosslabel, features, datasets, displays):
        names = {name for name in exported(str(package.__file__)) if name != "__version__"}
        assert names == {*package.__all__} - {"__version__"}, package.__name__


def test_every_equation_links_to_something_that_computes_it():
    text = (DOCS / "method" / "mathematics.md").read_text("utf-8")
    linked = set(re.findall(r"\{py:obj\}`~?(crosslabel\.[\w.]+)`", text))
    assert len(linked) > 25
    for name in linked:
        module, _, last = name.rpartition(".")
        found = getattr(importlib.import_module(module), last)
        assert callable(found), name
        assert found.__doc__, f"{name} does not say what it computes"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_anchors_of_links_are_headings(page):
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for path, anchor in re.findall(r"\]\(([\w./-]*\.md)?#([\w-]+)\)", text):
        place = (page.parent / path).resolve() if path else page
        heads = re.findall(r"^#+ (.+)$", place.read_text("utf-8"), re.MULTILINE)
        slugs = {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}
        assert anchor in slugs, f"{named(page)}: {path}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_examples_of_a_page_hold(page, drawn):
    text = page.read_text("utf-8")
    blocks = "\n".join(re.findall(r"```pycon\n(.*?)```", text, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(blocks, {}, page.name, str(page), 0)
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


def test_the_first_page_runs_as_it_stands(tmp_path, monkeypatch, drawn):
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "start.md").read_text("utf-8")
    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(code, "start.md", "exec"), {})
    assert len(list(tmp_path.glob("photos/*/*.png"))) == 200
    assert (tmp_path / "new.jpg").exists()
    assert (tmp_path / "atoms.png").stat().st_size > 10_000


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_to_files_of_the_project_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        path = link.partition("#")[0]
        if re.match(r"[a-z]+:", path) or not path:
            continue
        place = (page.parent / path).resolve()
        top = place.relative_to(ROOT).parts[1] if DOCS in place.parents else ""
        if top == "auto_examples":
            source = place.name.removeprefix("sphx_glr_").rpartition("_0")[0] or place.name
            assert source == "index" or (ROOT / "examples" / f"{source}.py").exists(), link
        elif top != "api":
            assert place.exists(), f"{named(page)}: {link}"


def test_pages_that_are_named_in_the_source_exist():
    files = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    for file in files:
        if not file.endswith((".py", ".toml", ".md", "Makefile")) or file.startswith("tests/"):
            continue
        for place in re.findall(r"docs/[\w/]+\.md", (ROOT / file).read_text("utf-8")):
            assert (ROOT / place).exists(), f"{file} names {place}"


def test_the_readme_works_on_another_site():
    text = (ROOT / "README.md").read_text("utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        assert link.startswith("https://"), link
    sites = re.findall(r"\]\(https://crosslabel\.github\.io/crosslabel/([\w/]+)\.html\)", text)
    assert len(sites) > 8
    for page in sites:
        if page.split("/")[0] not in GENERATED:
            assert (DOCS / f"{page}.md").exists(), page
    files = re.findall(r"crosslabel/crosslabel/(?:blob/)?main/([\w./]+)\)", text)
    assert len(files) > 4
    assert all((ROOT / file).exists() for file in files)


def test_examples_open_with_a_title_and_show_a_picture():
    assert len(EXAMPLES) >= 12
    for example in EXAMPLES:
        text = example.read_text("utf-8")
        title, line = (ast.get_docstring(ast.parse(text)) or "").splitlines()[:2]
        assert set(line) == {"="}
        assert len(line) >= len(title)
        assert "plt.show()" in text


def test_the_gallery_begins_with_examples_that_exist():
    order = importlib.import_module("gallery_order")
    assert {f"plot_{name}" for name in order.FIRST} <= {example.stem for example in EXAMPLES}
    assert sorted(map(str, EXAMPLES), key=order.place)[0].endswith("plot_digits_atoms.py")


def run_example(example, folder):
    surroundings = {**os.environ, "MPLBACKEND": "Agg", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-W", "error", str(example)]
    subprocess.run(command, cwd=folder, env=surroundings, check=True, timeout=300)


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.stem)
def test_an_example_runs_without_a_warning(example, tmp_path):
    run_example(example, tmp_path)


def test_the_readmes_example_runs_without_a_warning(tmp_path):
    run_example(ROOT / "examples" / "plot_digits_atoms.py", tmp_path)
