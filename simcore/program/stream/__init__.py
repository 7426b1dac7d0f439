"""The stream format (JSON or YAML): our own form of a program, in the backend IR's vocabulary."""

from simcore.program.stream.write import write_stream_json, write_stream_yaml

__all__ = ["write_stream_json", "write_stream_yaml"]
