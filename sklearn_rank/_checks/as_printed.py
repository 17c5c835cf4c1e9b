"""What notebooks show of things that are read as text."""

from html import escape


def as_printed(text: str) -> str:
    """Return a text in HTML as it is printed; notebooks have another font for <pre>."""
    return f'<pre style="font-family: monospace; white-space: pre; overflow-x: auto">{escape(text)}</pre>'
