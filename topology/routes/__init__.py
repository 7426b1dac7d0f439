"""Which way traffic takes: dimension order in meshes, cubes x first, the shortest path elsewhere (ADR-0042)."""
