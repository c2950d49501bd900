"""The first people and accounts of a platform."""

from collections.abc import Callable, Iterable

from socialgate.sandbox.kit import Thing, World


def seeded(first: Callable[[World], Iterable[Thing]]) -> Callable[[World], None]:
    """Turn a function that yields things into a vendor's `seed`.

    It stores them once: if the first of them is there, nothing is stored, so what people deleted stays deleted.
    """

    def seed(world: World) -> None:
        for place, thing in enumerate(first(world)):
            if place == 0 and world.store.get(type(thing), thing.id) is not None:
                return
            world.store.put(thing)

    return seed
