"""The sends of one stream while they are being listed: what each waits for follows from who has what."""

from __future__ import annotations

from collections.abc import Sequence

from topology.collectives.send import Extent, Run, Send


class Draft:
    """Takes sends in an order in which they could happen one by one, and finds what each of them really waits for.

    A send waits for the sends that brought its parts to its source, and for the source's own send before it: of one
    stream a rank has one send under way at a time. A send without bytes is left out.
    """

    def __init__(self, stream: int, parts: Sequence[Extent]) -> None:
        self.sends: list[Send] = []
        self._stream = stream
        self._parts = parts
        self._brought: dict[tuple[int, int], tuple[str, ...]] = {}
        """For a rank and a part: the sends that brought what the rank has."""
        self._latest: dict[int, str] = {}
        """The latest send of each rank."""

    @property
    def all_parts(self) -> Run:
        """Every part."""
        return 0, len(self._parts)

    def send(
        self, phase: str, step: int, src: int, dst: int, parts: Run, *, reduce: bool = False, slotted: bool = True
    ) -> None:
        """Rank ``src`` sends ``parts`` to rank ``dst``. A rank sends to another once in a step of a phase."""
        numbers = range(*parts)
        nbytes = sum(self._parts[part].nbytes for part in numbers)
        if not nbytes:
            return
        name = f"cc{self._stream}.{phase}.s{step}_{src}_{dst}"
        after = [sent for part in numbers for sent in self._brought.get((src, part), ())]
        after += [self._latest[src]] if src in self._latest else []
        sent = Send(
            name, src, dst, nbytes, tuple(dict.fromkeys(after)), self._stream, phase, reduce, parts, slotted=slotted
        )
        self.sends.append(sent)
        self._latest[src] = name
        for part in numbers:
            before = self._brought.get((dst, part), ()) if reduce else ()
            self._brought[dst, part] = (*before, name)
