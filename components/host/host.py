"""Host: turns messages into what the machine does, and tells when that is over (ADR-0048).

First action of a message: its targets are looked up. Memory is then read or written from the package's PCIe endpoint; a
DMA is asked straight away; everything else is an order to the package's IO CPU.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from simpy.events import Event

from components.host.messages import (
    Completion,
    HostMessage,
    KernelLaunchMsg,
    MemoryReadMsg,
    MemoryWriteMsg,
    MmuMapMsg,
    MmuUnmapMsg,
    PeDmaMsg,
    Response,
)
from components.host.orders import Errand, Letter, MapPages, Order, PeReport, PeWork, Report, RunKernel, UnmapPages
from components.host.places import Decoder, Places, targets
from components.host.post import Post, unloaded_ticks
from components.memory.over_fabric import FabricMemory
from components.memory.request import MemoryRequest
from components.pe.commands import Command
from components.pe.dma import DmaRequest
from simcore.errors import InputError, Problem, hint
from simcore.kernel import Countdown, Environment, PartError

Kernel = Callable[[KernelLaunchMsg, int, int], tuple[Command, ...]]
"""What a kernel does on one PE: commands, from the launch and the numbers of the cube and of the PE in it."""

Ordering = KernelLaunchMsg | MmuMapMsg | MmuUnmapMsg
"""Messages that become orders."""


class Host:
    """Whoever sends messages to the machine. ``kernels``: by their names."""

    def __init__(
        self,
        env: Environment,
        name: str,
        memory: FabricMemory,
        post: Post,
        places: Places,
        kernels: Mapping[str, Kernel],
    ) -> None:
        self.env = env
        self.name = name
        self._memory = memory
        self._post = post
        self._places = places
        self._kernels = kernels
        self._orders: dict[str, _Pending] = {}
        """Orders that are out, by their tags."""

    def submit(self, message: HostMessage) -> Event:
        """Starts what ``message`` asks for, now; the event's value is the Response.

        Raises InputError, before anything has started, for a target, an address or a kernel that there is not.
        """
        pending = _Pending(self.env, message)
        match message:
            case MemoryWriteMsg(dst_sip=sip, dst_cube=cube, dst_pe=pe, dst_pa=address):
                self._use_memory(pending, "write", sip, self._addresses(message, (sip, cube, pe), address))
            case MemoryReadMsg(src_sip=sip, src_cube=cube, src_pe=pe, src_pa=address):
                self._use_memory(pending, "read", sip, self._addresses(message, (sip, cube, pe), address))
            case PeDmaMsg():
                self._inject(pending, message)
            case KernelLaunchMsg() | MmuMapMsg() | MmuUnmapMsg():
                self._send_order(pending, message)
        return pending.answered

    def _addresses(
        self, message: MemoryWriteMsg | MemoryReadMsg, home: tuple[int, int, int], address: int
    ) -> list[tuple[int, int]]:
        """Address and size of every transfer that the message asks for."""
        cubes, pe = message.target_cubes, message.target_pe
        if cubes is None and pe is None:
            return [(address, message.nbytes)]
        sip, home_cube, home_pe = home
        chosen = targets(self._places, sip, (home_cube,) if cubes is None else cubes, home_pe if pe is None else pe)
        places = [(cube, one) for cube, pes in chosen.items() for one in pes]
        return [(self._places.same_place(address, sip, *place), message.nbytes) for place in places]

    def _use_memory(self, pending: _Pending, direction: str, sip: int, transfers: list[tuple[int, int]]) -> None:
        tag = pending.message.request_id
        tags = [tag] if len(transfers) == 1 else [f"{tag}.{i}" for i in range(len(transfers))]
        left = Countdown(self.env, len(transfers), f"{self.name} {tag}")
        left.callbacks.append(lambda _: pending.finish())
        for (address, nbytes), name in zip(transfers, tags, strict=True):
            request = MemoryRequest(direction, address, nbytes, self.env.event(), name)
            request.done.callbacks.append(left.arrive)
            pending.requests.append(request)
        for request in pending.requests:
            self._memory.start(self._places.pcie_endpoint(sip), request)

    def _inject(self, pending: _Pending, message: PeDmaMsg) -> None:
        port = self._places.dma_requests(message.src_sip, message.src_cube, message.src_pe)
        request = DmaRequest("write", message.dst_pa, message.nbytes, "physical", self.env.event(), message.request_id)
        request.done.callbacks.append(lambda _: pending.finish())
        port.put(request)

    def _send_order(self, pending: _Pending, message: Ordering) -> None:
        work, places = self._work_of(message), self._places
        endpoint, io_cpu = places.pcie_endpoint(message.sip), places.io_cpu(message.sip)
        tag = f"{message.correlation_id}/{message.request_id}"
        if tag in self._orders:
            raise InputError([Problem(f"message {tag} was sent before and is not over", "<message>")])
        errands = []
        for cube, pes in targets(places, message.sip, message.target_cubes, message.target_pe).items():
            m_cpu = places.m_cpu(message.sip, cube)
            below = [self._errand(m_cpu, places.pe_cpu(message.sip, cube, pe), work(cube, pe)) for pe in pes]
            errands.append(self._errand(io_cpu, m_cpu, Order(tag, tuple(below))))
        self._orders[tag] = pending
        self._post.deliver_to(endpoint, self._receive)
        self._post.send(Letter(endpoint, io_cpu.name, Order(tag, tuple(errands))))

    def _errand(self, sender: Decoder, receiver: Decoder, body: Order | PeWork) -> Errand:
        travel_ticks = unloaded_ticks(self._places.path(sender.name, receiver.name)) + receiver.decode_ticks
        return Errand(receiver.name, travel_ticks, body)

    def _work_of(self, message: Ordering) -> Callable[[int, int], PeWork]:
        """What each PE is to do, by the numbers of its cube and itself."""
        match message:
            case KernelLaunchMsg(kernel_ref=ref):
                if ref.name not in self._kernels:
                    known = hint(ref.name, sorted(self._kernels))
                    raise InputError([Problem(f'unknown kernel "{ref.name}" {known}', "<message>")])
                kernel = self._kernels[ref.name]
                return lambda cube, pe: RunKernel(kernel(message, cube, pe))
            case MmuMapMsg():
                mapping = MapPages(message.virtual, message.physical, message.nbytes)
                return lambda _cube, _pe: mapping
            case MmuUnmapMsg():
                unmapping = UnmapPages(message.virtual, message.nbytes)
                return lambda _cube, _pe: unmapping

    def _receive(self, letter: Letter) -> None:
        report = letter.body
        if not isinstance(report, Report) or report.tag not in self._orders:
            raise PartError(self.name, self.env.now, f"{letter.sender} reports on nothing that is out: {report!r}")
        self._orders.pop(report.tag).finish(report.reports)


class _Pending:
    """A message that is not answered yet."""

    def __init__(self, env: Environment, message: HostMessage) -> None:
        self.env = env
        self.message = message
        self.submitted_ticks = env.now
        self.answered = env.event()
        self.requests: list[MemoryRequest] = []

    def finish(self, reports: tuple[PeReport, ...] = ()) -> None:
        """All of it is over."""
        refusal = next((report.refusal for report in reports if report.refusal is not None), None)
        completion = Completion(True)
        if refusal is not None:
            completion = Completion(False, refusal.error_code, refusal.error_message)
        times = (self.submitted_ticks, self.env.now)
        self.answered.succeed(Response(self.message, completion, *times, tuple(self.requests), reports))
