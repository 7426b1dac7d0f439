"""Device platforms: constants of a real accelerator core, fitted to its profiles (ADR-0073, ADR-0074)."""

from simcore.timing.device.effects import Effect
from simcore.timing.device.files import load_device_platform_file
from simcore.timing.device.fit import fit_device_platform
from simcore.timing.device.platform import DevicePlatform

__all__ = ["DevicePlatform", "Effect", "fit_device_platform", "load_device_platform_file"]
