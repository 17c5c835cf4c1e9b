"""Measured tables on the pages of the docs."""


def write_between(page, begin, end, text):
    """Replace the text between two marks of a page."""
    before, rest = page.read_text().split(begin)
    page.write_text(f"{before}{begin}\n\n{text.rstrip()}\n\n{end}{rest.split(end)[1]}")
