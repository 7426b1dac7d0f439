"""The fabric: links that serve flits, routers that delay them, and the engine that moves the transfers of a machine."""
