"""Reports of the learned oracle: fitting and judging laws, and where a program's costs differ from the cost table."""
