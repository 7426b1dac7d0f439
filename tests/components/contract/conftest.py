"""The checks are plain functions in a module of their own; their asserts are to be explained all the same."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("tests.components.contract.checks")
