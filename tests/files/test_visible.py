from crosslabel.files.visible import cell, visible, visible_values


def test_commands_to_a_terminal_become_signs():
    assert visible("plain ü 日本 ") == "plain ü 日本 "
    assert visible("a\x1b[2Jb\r\n\x9bc\u202ed") == "a�[2Jb����c�d".replace("����", "���")


def test_all_texts_of_a_value():
    value = {"a\x1b": ["\x07", 1, None, {"b": "\x1b]0;x"}]}
    assert visible_values(value) == {"a�": ["�", 1, None, {"b": "�]0;x"}]}


def test_a_cell_is_never_a_formula():
    for text in ("=1+1", "+1", "-1", "@x", "\tx"):
        assert cell(text) == "'" + visible(text)
    assert cell("a=b") == "a=b"
    assert cell(-0.5) == -0.5
    assert cell(None) is None
