"""From a file to checked values: the text with its places, quantities with their units, templates, and all faults."""
