from tools.links import dead, main


def written(folder, **pages):
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text)
    return folder


def test_a_page_a_file_and_a_heading_are_found(tmp_path):
    (tmp_path / "a b.png").write_bytes(b"")
    two = '<h1 id="top">x</h1><a href="one.html">one</a><a href="#top">up</a>'
    one = '<a href="two.html#top">two</a><img src="a%20b.png"><a href="https://x.org/no">out</a>'
    (tmp_path / "_static").mkdir()
    written(tmp_path / "_static", template='<a href="{{ path }}">')
    assert list(dead(written(tmp_path, one=one, two=two))) == []
    assert main(str(tmp_path)) == 0


def test_what_leads_nowhere_is_told_with_its_page(tmp_path, capsys):
    one = '<a href="gone.html">x</a><a href="two.html#gone">y</a><img src="gone.png">'
    written(tmp_path, one=one, two="<p id='here'>")
    assert list(dead(tmp_path)) == [
        "one.html: gone.html",
        "one.html: two.html#gone",
        "one.html: gone.png",
    ]
    assert main(str(tmp_path)) == 1
    assert "3 dead links on 2 pages" in capsys.readouterr().out
