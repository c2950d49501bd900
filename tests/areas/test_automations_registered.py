"""An area brings a trigger and an action of its own to automations, and nothing else knows of it."""

from collections.abc import Sequence
from typing import Any

import msgspec

from socialgate.contracts.automations import (
    ActionStep,
    ActionType,
    AutomationOptions,
    AutomationSubject,
    TriggerOccurrence,
    TriggerOptions,
    TriggerType,
)
from socialgate.core.db import Tx
from socialgate.core.facts import FactAbout
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.area import Area
from support.automations import AutomationFixture, create, list_triggered_events, statuses
from support.problems import fault_of, problem_of
from support.service import OwnerFixture, StartService


class OrderPlaced(msgspec.Struct, FactAbout[str], frozen=True):
    """A fact that only this test records."""

    owner_id: str
    number: int


class OrderTrigger(TriggerOptions, frozen=True, kw_only=True, tag="order.placed"):
    """Somebody orders."""

    above: int = 0

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "order.placed"}


class PackOrder(AutomationOptions, frozen=True, kw_only=True, tag="packOrder"):
    """Pack the order."""

    label: str

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "packOrder", "label": "{{order.number}}"}


class Packed(msgspec.Struct):
    """What was packed."""

    label: str


class Packing:
    async def execute(self, work: UnitOfWork, step: ActionStep[PackOrder]) -> Packed:
        return await work.write(self._pack, step.options.label)

    async def _pack(self, tx: Tx, label: str) -> Packed:
        del tx
        return Packed(label)


def _placed(fact: OrderPlaced, profile_id: str) -> Sequence[TriggerOccurrence]:
    subject = AutomationSubject(
        key=f"order {fact.number}", account_id="acc_1", platform="shop", fields={"order.number": fact.number}
    )
    return [TriggerOccurrence(fact.owner_id, profile_id, subject)]


ORDERS = Area(
    automation_types=[
        TriggerType(
            options=OrderTrigger,
            subject_type="order",
            fact=OrderPlaced,
            extract_occurrences=_placed,
            matches_options=lambda options, subject: subject.fields["order.number"] > options.above,
            fields={"order.number": "Its number."},
        ),
        ActionType(
            options=PackOrder,
            subject_types=frozenset({"order"}),
            handler=Packing,
            summarize_outcome=lambda packed: {"label": packed.label},
        ),
    ]
)


async def place(tx: Tx, owner: OwnerFixture, number: int) -> None:
    await tx.publish_fact(OrderPlaced(owner.id, number), owner.profile_id)


def test_what_an_area_brings_works_and_is_documented(start_service: StartService) -> None:
    with start_service(areas=[ORDERS]) as running:
        owner = OwnerFixture(running)
        trigger = {"type": "order.placed", "above": 6}
        action = {"type": "packOrder", "label": "Box {{order.number}}"}
        robot = AutomationFixture(owner, trigger, action, {"type": "wait", "amount": 1}, {"type": "stop"})
        for number in (7, 6, 7):
            running.write(place, owner, number)
        run = robot.wait_for_step(2)
        assert statuses(run) == [("packOrder", "done"), ("wait", "waiting")]
        assert run["steps"][0]["detail"] == {"label": "Box 7"}
        # The same is told twice, and runs once.
        assert (len(robot.runs()), len(list_triggered_events(owner))) == (1, 1)
        assert fault_of(create(owner, {"type": "message.received"}, action)) == ("/actions/0/type", "not_supported")
        assert fault_of(create(owner, trigger, {"type": "reply", "text": "x"})) == ("/actions/0/type", "not_supported")
        schemas = owner.session.get("/openapi.json").json()["components"]["schemas"]
        assert "order.placed" in schemas["AutomationTrigger"]["discriminator"]["mapping"]
        assert "packOrder" in owner.session.get("/llms-full.txt").text
        assert "packOrder" in owner.session.get("/docs").text


def test_without_the_area_its_types_are_unknown(owner: OwnerFixture) -> None:
    answer = create(owner, {"type": "order.placed"}, {"type": "stop"})
    assert "order.placed" in problem_of(answer, 422, "invalid")["detail"]
    assert fault_of(answer) == ("/trigger/type", "unknown_type")
    assert "packOrder" not in owner.session.get("/llms-full.txt").text
