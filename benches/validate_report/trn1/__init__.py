"""A bound check on trn1: what the documented costs demand of each engine, beside measured totals of whole kernels."""
