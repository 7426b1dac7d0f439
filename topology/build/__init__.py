"""From checked blocks to the graph: free graphs, and hierarchies stamped from one description of each level."""
