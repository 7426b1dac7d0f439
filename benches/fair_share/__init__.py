"""Fair shares of links among flows, without simulating anything (ADR-0060).

``fluid.FluidFlow`` and ``fluid.Network`` say what flows over what; ``max_min.max_min(network) -> Solution`` fills all
rates evenly until a link is full; ``ports.by_ports(network) -> Solution`` shares by router inputs where all flows go to
one sink. Nothing here knows the simulated machine, so that the two can be held against each other.
"""
