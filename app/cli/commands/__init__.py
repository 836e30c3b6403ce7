"""One module a command; `app.cli.main` names them."""
