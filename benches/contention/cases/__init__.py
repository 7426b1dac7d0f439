"""The benches, one module each; a module that is put here is found."""
