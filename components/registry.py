"""The registry of parts: what a topology or an experiment calls by kind and impl, found and built.

A part registers itself where its class is defined::

    @register("tcm", "dual_channel", default=True)
    class Tcm(Part[TcmParameters]): ...

Its parameters are the frozen pydantic model that it names in ``Part[...]``. The modules of the parts that kernbench
ships stand in :mod:`components.built_in` and are imported when their kind is first asked for; a user's own file is read
by :func:`components.user_parts.load_parts`.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin

from components.built_in import BUILT_IN
from components.parameters import check_parameters
from simcore.errors import InputError, KernbenchError, Problem, hint

if TYPE_CHECKING:
    from pydantic import BaseModel

    from simcore.kernel import Environment, Part, Port

DEFAULT = "default"
"""The impl of a part that gives none; it is the one that is built where none is asked for."""

_WORD = re.compile(r"[a-z][a-z0-9_]*")

C = TypeVar("C", bound="type[Part[Any]]")


class RegistrationError(KernbenchError):
    """A part is registered wrongly: exit code 3, or 2 as an InputError if a user's own file does it."""


@dataclass(frozen=True, slots=True)
class Registered:
    """One part of the registry. ``is_default``: built where its kind is asked for without an impl."""

    kind: str
    impl: str
    part: type[Part[Any]]
    parameters: type[BaseModel]
    is_default: bool

    @property
    def home(self) -> str:
        """Module and class, as error messages name it."""
        return f"{self.part.__module__}.{self.part.__qualname__}"


_registered: dict[tuple[str, str], Registered] = {}


def register(kind: str, impl: str = DEFAULT, *, default: bool = False) -> Callable[[C], C]:
    """Class decorator: makes a part known as ``impl`` of ``kind``.

    ``default`` makes it the impl of its kind that is built where none is named. A kind whose impls are all unmarked has
    its only impl, or the one that is called ``default``, as its default. Raises RegistrationError for a class that
    is no part, parameters that can change or let unknown keys pass, and for a pair or a default that is taken.
    """

    def add(part: C) -> C:
        for word in (kind, impl):
            if not _WORD.fullmatch(word):
                raise RegistrationError(f"a part is registered under small words such as tcm, not {word!r}")
        if part.__module__ not in BUILT_IN.get(kind, ()):
            _import_built_in(kind)  # before it, so that a clash is reported against the newcomer
        entry = Registered(kind, impl, part, _model_of(part), default or impl == DEFAULT)
        taken = _registered.get((kind, impl))
        if taken is not None:
            raise RegistrationError(f"{kind}/{impl} is already registered by {taken.home}")
        for other in _registered.values():
            if entry.is_default and other.kind == kind and other.is_default:
                raise RegistrationError(f"the default of {kind} is already {other.home} ({kind}/{other.impl})")
        _registered[kind, impl] = entry
        return part

    return add


def lookup(kind: str, impl: str | None = None, *, file: str = "<parts>") -> Registered:
    """The part known as ``impl`` of ``kind``; without ``impl`` the default of the kind.

    Raises InputError, which names ``file``, for unknown words, and for a kind that has several impls and no default.
    """
    _import_built_in(kind)
    impls = {entry.impl: entry for entry in _registered.values() if entry.kind == kind}
    if not impls:
        raise InputError([Problem(f'unknown kind of part "{kind}" {hint(kind, kinds(), shown=40)}', file)])
    if impl is None:
        defaults = [entry for entry in impls.values() if entry.is_default or len(impls) == 1]
        if not defaults:
            message = f"{kind} has several impls and no default: name one {hint('', sorted(impls))}"
            raise InputError([Problem(message, file)])
        return defaults[0]
    if impl not in impls:
        raise InputError([Problem(f'unknown impl "{impl}" of {kind} {hint(impl, sorted(impls))}', file)])
    return impls[impl]


def kinds() -> list[str]:
    """Every known kind, sorted; imports no part."""
    return sorted({*BUILT_IN, *(kind for kind, _ in _registered)})


def known_parts() -> list[Registered]:
    """Every registered part, sorted by kind and impl; imports those that kernbench ships."""
    for kind in BUILT_IN:
        _import_built_in(kind)
    return [_registered[key] for key in sorted(_registered)]


def build(
    env: Environment,
    kind: str,
    name: str,
    parameters: Mapping[str, object],
    ports: Mapping[str, Port[Any]],
    impl: str | None = None,
    *,
    file: str = "<parts>",
) -> Part[Any]:
    """A part called ``name`` (dotted path) in ``env``, from its parameters as they were written and its ports.

    Raises InputError with every fault of ``parameters``, each naming ``file``, the part and the key.
    """
    entry = lookup(kind, impl, file=file)
    checked = check_parameters(entry.parameters, parameters)
    if isinstance(checked, list):
        raise InputError([Problem(fault.message, file, where=f"{name}.{fault.key}") for fault in checked])
    return entry.part(env, name, checked, ports)


@contextmanager
def parts_kept_only_on_success() -> Iterator[None]:
    """Forgets every part that is registered inside the block if an error leaves it."""
    before = dict(_registered)
    try:
        yield
    except BaseException:
        _registered.clear()
        _registered.update(before)
        raise


def _import_built_in(kind: str) -> None:
    for module in BUILT_IN.get(kind, ()):
        importlib.import_module(module)


def _model_of(part: type[Part[Any]]) -> type[BaseModel]:
    """The parameter model that ``part`` names in ``Part[...]``, its own or that of the nearest base."""
    from pydantic import BaseModel

    from simcore.kernel import Part

    if not _is_class(part, Part):
        raise RegistrationError(f"{part.__qualname__} is not a class derived from simcore.kernel.Part")
    for base in part.__mro__:
        for original in base.__dict__.get("__orig_bases__", ()):
            generic, (model, *_) = get_origin(original), get_args(original) or (None,)
            if _is_class(generic, Part) and _is_class(model, BaseModel):
                return _strict(part, model)
    raise RegistrationError(f"{part.__qualname__} does not name its parameters: derive it from Part[ItsParameters]")


def _is_class(thing: object, base: type) -> bool:
    return isinstance(thing, type) and issubclass(thing, base)


def _strict(part: type[Part[Any]], model: type[BaseModel]) -> type[BaseModel]:
    if not model.model_config.get("frozen"):
        raise RegistrationError(f"the parameters of {part.__qualname__} ({model.__name__}) must be frozen")
    if model.model_config.get("extra") != "forbid":
        raise RegistrationError(f'the parameters of {part.__qualname__} ({model.__name__}) need extra="forbid"')
    return model
