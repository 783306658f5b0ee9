"""A browser and a server for these tests alone: fixtures of a package last as long as the package that names them."""

from page.conftest import arrive, browser, own_server, server, troubles  # noqa: F401
