"""Configures Sphinx, which `python -m docs.site` calls: Markdown in, HTML with a search of its own out."""

import arena

project = "card-arena"
html_title = "card-arena"
release = arena.__version__
extensions = ["myst_parser", "sphinx.ext.githubpages"]

myst_heading_anchors = 4  # Headings are called in links as GitHub calls them.
smartquotes = False  # Two hyphens begin an option.
highlight_language = "none"
suppress_warnings = ["misc.highlighting_failure"]  # Blocks have names of ours, too: `dialogue`, `transcript`.

html_theme = "furo"
pygments_dark_style = "github-dark"  # Furo's own underlines names as if they were links.
html_static_path = ["style.css"]
html_css_files = ["style.css"]
html_copy_source = False
html_show_copyright = False
