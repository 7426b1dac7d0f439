"""Parts are found by kind and impl, built from checked parameters, and never confused with one another."""

from __future__ import annotations

import importlib
import subprocess
import sys
from fractions import Fraction

import pytest
from pydantic import BaseModel, ConfigDict, Field

from components import registry
from components.built_in import BUILT_IN
from components.memory.tcm import Tcm, TcmParameters, TcmRequest
from components.memory.tcm_alternatives import SharedChannelTcm
from components.registry import RegistrationError, build, kinds, known_parts, lookup, register
from simcore.errors import InputError
from simcore.kernel import Environment, Part, PartError, Port
from tests.components.actor import Actor


class LampParameters(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    warm_up_ns: int = Field(ge=0)
    count: int = Field(ge=1)


class Lamp(Part[LampParameters]):
    """A part without ports."""


def requests_port(env: Environment) -> Port[TcmRequest]:
    port = Port(env, "client->tcm", TcmRequest)
    port.attach("out", Actor("client"))
    return port


# --- finding -----------------------------------------------------------------------------------------------------


def test_a_part_is_found_by_kind_and_impl():
    entry = lookup("tcm", "shared_channel")
    assert (entry.kind, entry.impl, entry.part, entry.parameters) == (
        "tcm",
        "shared_channel",
        SharedChannelTcm,
        TcmParameters,
    )
    assert entry.home == "components.memory.tcm_alternatives.SharedChannelTcm"


def test_without_an_impl_the_default_of_the_kind_is_found():
    assert lookup("tcm") == lookup("tcm", "dual_channel")
    assert lookup("tcm").part is Tcm


@pytest.mark.usefixtures("own_registry")
def test_an_impl_without_a_word_is_the_default_and_so_is_an_only_one():
    register("lamp")(Lamp)
    register("lamp", "led")(Lamp)
    register("torch", "led")(Lamp)
    assert lookup("lamp").impl == "default"
    assert lookup("torch").impl == "led"


@pytest.mark.usefixtures("own_registry")
def test_a_kind_of_several_impls_and_no_default_asks_for_one():
    register("lamp", "neon")(Lamp)
    register("lamp", "led")(Lamp)
    with pytest.raises(InputError) as caught:
        lookup("lamp", file="system.yaml")
    assert str(caught.value) == "system.yaml: lamp has several impls and no default: name one (allowed: led, neon)"


def test_an_unknown_kind_lists_the_known_ones_with_the_nearest():
    with pytest.raises(InputError) as caught:
        lookup("tcn", file="system.yaml")
    allowed = ", ".join(sorted(BUILT_IN))
    assert str(caught.value) == (f'system.yaml: unknown kind of part "tcn" (allowed: {allowed}; did you mean "tcm"?)')
    assert caught.value.exit_code == 2


def test_an_unknown_impl_lists_the_known_ones_with_the_nearest():
    with pytest.raises(InputError) as caught:
        lookup("tcm", "dual_chanel")
    assert str(caught.value) == (
        '<parts>: unknown impl "dual_chanel" of tcm '
        '(allowed: dual_channel, shared_channel, two_banks; did you mean "dual_channel"?)'
    )


def test_parts_are_listed_by_kind_and_impl():
    listed = [(entry.kind, entry.impl) for entry in known_parts()]
    assert listed == sorted(listed)
    assert [impl for kind, impl in listed if kind == "tcm"] == ["dual_channel", "shared_channel", "two_banks"]
    assert kinds() == sorted({kind for kind, _ in listed})


@pytest.mark.parametrize("kind", BUILT_IN)
def test_every_module_of_the_table_registers_a_part_of_its_kind(kind: str):
    of_kind = [entry for entry in known_parts() if entry.kind == kind]
    assert sorted({entry.part.__module__ for entry in of_kind}) == sorted(BUILT_IN[kind])


def test_the_registry_itself_loads_no_part_and_no_heavy_library(repository):
    program = (
        "import sys, components.registry as registry; registry.kinds(); "
        "print(*(m for m in sys.modules if m.startswith('components') or m in ('simpy', 'pydantic', 'networkx')))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=repository, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["components", "components.built_in", "components.parameters", "components.registry"]


def test_a_kind_is_imported_when_it_is_asked_for_and_no_other(repository):
    program = (
        "import sys; from components.registry import lookup; lookup('tcm'); "
        "print(*(m for m in sys.modules if m.startswith(('components.core.', 'components.memory.'))))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=repository, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["components.memory.tcm", "components.memory.tcm_alternatives"]


# --- registering -------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("own_registry")
def test_the_same_kind_and_impl_twice_is_an_error():
    register("lamp", "led")(Lamp)
    with pytest.raises(RegistrationError) as caught:
        register("lamp", "led")(Lamp)
    assert str(caught.value) == f"lamp/led is already registered by {__name__}.Lamp"
    assert caught.value.exit_code == 3


@pytest.mark.usefixtures("own_registry")
def test_a_newcomer_cannot_take_the_place_of_a_shipped_part_that_nobody_has_asked_for_yet(monkeypatch):
    monkeypatch.setattr(registry, "_registered", {})
    for module in BUILT_IN["tcm"]:
        monkeypatch.delitem(sys.modules, module)
    with pytest.raises(RegistrationError, match=r"tcm/dual_channel is already registered by components\.memory\.tcm\."):
        register("tcm", "dual_channel")(Lamp)


@pytest.mark.usefixtures("own_registry")
def test_a_kind_has_one_default():
    with pytest.raises(RegistrationError) as caught:
        register("tcm", "mine", default=True)(Lamp)
    assert str(caught.value) == "the default of tcm is already components.memory.tcm.Tcm (tcm/dual_channel)"
    with pytest.raises(RegistrationError, match="the default of tcm is already"):
        register("tcm")(Lamp)


@pytest.mark.usefixtures("own_registry")
@pytest.mark.parametrize(("kind", "impl"), [("TCM", "a"), ("", "a"), ("tcm.a", "b"), ("lamp", "9v"), ("lamp", "a-b")])
def test_a_part_is_registered_under_words(kind: str, impl: str):
    with pytest.raises(RegistrationError, match="registered under small words such as tcm, not"):
        register(kind, impl)(Lamp)


class Soft(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Loose(BaseModel):
    model_config = ConfigDict(frozen=True)


class SoftPart(Part[Soft]): ...


class LoosePart(Part[Loose]): ...


class BarePart(Part): ...


@pytest.mark.usefixtures("own_registry")
@pytest.mark.parametrize(
    ("part", "message"),
    [
        (SoftPart, "the parameters of SoftPart (Soft) must be frozen"),
        (LoosePart, 'the parameters of LoosePart (Loose) need extra="forbid"'),
        (BarePart, "BarePart does not name its parameters: derive it from Part[ItsParameters]"),
        (Soft, "Soft is not a class derived from simcore.kernel.Part"),
        (requests_port, "requests_port is not a class derived from simcore.kernel.Part"),
    ],
)
def test_what_does_not_keep_the_contract_is_not_registered(part: object, message: str):
    with pytest.raises(RegistrationError) as caught:
        register("lamp")(part)
    assert str(caught.value) == message
    assert "lamp" not in kinds()


# --- building ----------------------------------------------------------------------------------------------------


def test_a_part_is_built_from_parameters_as_they_were_written():
    env = Environment()
    tcm = build(env, "tcm", "pe0.tcm", {"read_bw_gbs": 0.1, "write_bw_gbs": 96}, {"requests": requests_port(env)})
    assert type(tcm) is Tcm
    assert tcm.name == "pe0.tcm"
    assert tcm.parameters == TcmParameters(read_bw_gbs=Fraction(1, 10), write_bw_gbs=Fraction(96))
    assert env.parts == [tcm]


def test_another_impl_is_built_from_the_same_parameters():
    env = Environment()
    tcm = build(env, "tcm", "pe0.tcm", {}, {"requests": requests_port(env)}, "shared_channel")
    assert type(tcm) is SharedChannelTcm


def test_all_faults_of_the_parameters_are_reported_at_once_with_the_nearest_key():
    env = Environment()
    wrong = {"read_bw": 1, "write_bw_gbs": -1, "overhead_ns": float("nan"), "colour": "red"}
    with pytest.raises(InputError) as caught:
        build(env, "tcm", "pe0.tcm", wrong, {}, file="system.yaml")
    allowed = "allowed: read_bw_gbs, write_bw_gbs, overhead_ns"
    assert str(caught.value).splitlines() == [
        "system.yaml: pe0.tcm.write_bw_gbs: must be 0 or more, not -1",
        "system.yaml: pe0.tcm.overhead_ns: must be a finite number, not nan",
        f'system.yaml: pe0.tcm.read_bw: unknown parameter ({allowed}; did you mean "read_bw_gbs"?)',
        f"system.yaml: pe0.tcm.colour: unknown parameter ({allowed})",
    ]
    assert env.parts == []


@pytest.mark.usefixtures("own_registry")
def test_a_quantity_without_a_default_must_be_given():
    register("lamp")(Lamp)
    with pytest.raises(InputError) as caught:
        build(Environment(), "lamp", "lamp0", {"count": 0}, {})
    assert str(caught.value).splitlines() == [
        "<parts>: lamp0.warm_up_ns: is missing (it has no default)",
        "<parts>: lamp0.count: input should be greater than or equal to 1, not 0",
    ]


@pytest.mark.usefixtures("own_registry")
def test_a_key_is_refused_where_no_parameter_is_allowed():
    class Nothing(BaseModel):
        model_config = ConfigDict(frozen=True, extra="forbid")

    class Plain(Part[Nothing]): ...

    register("plain")(Plain)
    with pytest.raises(InputError) as caught:
        build(Environment(), "plain", "p", {"x": 1}, {})
    assert str(caught.value) == "<parts>: p.x: unknown parameter (none is allowed)"


def test_ports_are_checked_by_the_part():
    with pytest.raises(PartError, match=r"pe0\.tcm at 0 ps: its port 'requests' \(in, TcmRequest\) is not connected"):
        build(Environment(), "tcm", "pe0.tcm", {}, {})


@pytest.mark.usefixtures("own_registry")
def test_the_model_of_a_generic_base_is_found_through_its_heir():
    class Base(Lamp): ...

    register("lamp")(Base)
    assert lookup("lamp").parameters is LampParameters


def test_importing_a_module_again_by_name_changes_nothing():
    before = known_parts()
    importlib.import_module("components.memory.tcm")
    assert known_parts() == before
