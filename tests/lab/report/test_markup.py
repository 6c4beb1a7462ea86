from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from crosslabel.lab.report.markup import Markup, element, join, number


class Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.text, self.attributes, self.tags = "", {}, []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.update(attrs)

    def handle_data(self, data):
        self.text += data


printable = st.text(
    st.characters(codec="utf-8", exclude_characters="\0\r", exclude_categories=("Cc",))
)


@given(printable, printable)
def test_any_text_reads_back_as_text(inside, value):
    reader = Reader()
    reader.feed(element("p", inside, title=value))
    reader.close()
    assert reader.tags == ["p"]
    assert reader.text == inside
    assert reader.attributes == {"title": value}


def test_markup_is_kept_and_none_left_out():
    inner = element("b", "a < b")
    assert element("p", None, inner, ["x", 2, 1.5]) == "<p><b>a &lt; b</b>x21.5</p>"
    assert isinstance(join(["x"]), Markup)


def test_attributes_follow_their_names():
    made = element("a", class_="x", aria_label="y", hidden=True, id=None, data_value=1.0)
    assert made == '<a class="x" aria-label="y" hidden data-value="1"></a>'
    assert element("img", alt="") == '<img alt="">'


def test_numbers_are_short():
    assert [number(x) for x in (1.0, 0.125, 100.0, -0.5)] == ["1", "0.12", "100", "-0.5"]
