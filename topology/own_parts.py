"""Which parts and links of a system are of the user's own making, so that rules of the shipped ones need not hold."""

from __future__ import annotations

from topology.routes.route import Route
from topology.system import System


def own_parts(system: System) -> list[str]:
    """The names of its parts and links (``a -> b``) whose classes come from a user's file, in the order of the file."""
    from components.user_parts import is_own

    parts = [node.name for node in system.nodes() if is_own(node.kind, node.impl)]
    return parts + [f"{link.src} -> {link.dst}" for link in system.links() if is_own("link", link.impl)]


def passes_own_part(system: System, route: Route) -> bool:
    """Whether what takes ``route`` meets one of them."""
    from components.user_parts import is_own

    nodes = map(system.node, route.nodes)
    return any(is_own(n.kind, n.impl) for n in nodes) or any(is_own("link", link.impl) for link in route.links)
