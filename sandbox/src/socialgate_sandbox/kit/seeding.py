"""The first people and accounts of a platform."""

from collections.abc import Callable, Iterable

from socialgate_sandbox.kernel.store import kind_of
from socialgate_sandbox.kit import Thing, World


def seeded(first: Callable[[World], Iterable[Thing]]) -> Callable[[World], None]:
    """Turn a function that yields things into a vendor's `seed`.

    It stores them once: if the world has begun before, only those are stored that this version lost because it could
    not read them, so what people deleted stays deleted.
    """

    def seed(world: World) -> None:
        is_new = True
        for place, thing in enumerate(first(world)):
            if place == 0:
                known = (kind_of(type(thing)), thing.id)
                is_new = known not in world.lost and world.store.get(type(thing), thing.id) is None
                if not is_new and not world.lost:
                    return
            if is_new or (kind_of(type(thing)), thing.id) in world.lost:
                world.store.put(thing)

    return seed
