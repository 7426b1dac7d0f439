"""Memories: how long it takes to read and write them, and who waits for whom. None of them holds data."""
