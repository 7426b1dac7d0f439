"""Device platforms that kernbench ships, and those in a user's folder (ADR-0073)."""

from topology.platforms.load import load_device_platform, shipped_platforms

__all__ = ["load_device_platform", "shipped_platforms"]
