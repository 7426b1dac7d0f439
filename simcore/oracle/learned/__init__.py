"""The learned oracle: per opcode a law over features of the instruction, fitted to durations that profiles measured.

``features`` says what a law sees, ``samples`` what was measured, ``train`` how laws are chosen and fitted, ``bundle``
how they are kept, ``predict`` how they cost a block, ``judge`` how good they are on profiles that they have not seen.
"""
