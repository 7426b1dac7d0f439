"""One NeuronCore as parts: engines, the barrier lane, descriptor rings, PSUM banks, semaphores, and the core itself.

A program's instructions become :class:`~components.core.work.Work`: each knows what it still waits for, and whoever
ends one of those waits tells it. No part ever computes when another will be done.
"""
