"""The parts of a PE tile, from the CPU that runs a kernel to the engines that a tile passes."""
