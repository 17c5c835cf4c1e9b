"""Pages of the docs with measured tables."""


def write_between(page, begin, end, text):
    """Put a text between two marks of a page, in the place of what was there."""
    before, rest = page.read_text().split(begin)
    page.write_text(f"{before}{begin}\n\n{text.rstrip()}\n\n{end}{rest.split(end)[1]}")
