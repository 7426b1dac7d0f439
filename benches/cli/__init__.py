"""The command line, one module per command; :mod:`benches.cli.commands` is the table of them."""
