"""How Sphinx builds the documentation: ``tools/docs_site.py`` runs it, without a network."""

from datetime import date

from sphinx.application import Sphinx

from sobremesa import __version__

project = "Sobremesa"
author = "the Sobremesa contributors"
release = version = __version__
project_copyright = f"{date.today().year}, {author}"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["decisions/README.md"]
nitpicky = False

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
# Examples are marked as Python in the sources, so that doctest reads them; on the site they are sessions.
highlight_language = "none"

autodoc_default_options = {"members": True, "show-inheritance": False, "member-order": "bysource"}
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"Sobremesa {__version__}"
html_static_path = ["static"]
html_css_files = ["house.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#8a5200",
        "color-brand-content": "#8a5200",
        "color-background-primary": "#fffdf8",
        "color-background-secondary": "#f5f0e6",
        "color-foreground-primary": "#23252b",
        "font-stack": "Inter, system-ui, sans-serif",
    },
    "dark_css_variables": {
        "color-brand-primary": "#f2b544",
        "color-brand-content": "#f2b544",
        "color-background-primary": "#16181d",
        "color-background-secondary": "#20232a",
        "color-foreground-primary": "#ece7db",
        "font-stack": "Inter, system-ui, sans-serif",
    },
}


def no_source_of_python(app: Sphinx, _: object) -> None:
    """Names for types of Python itself have no source to be listed."""
    getattr(app.env, "_viewcode_modules", {}).pop("builtins", None)


def setup(app: Sphinx) -> None:
    """What Sphinx is told besides."""
    app.connect("env-check-consistency", no_source_of_python)
