"""The first people and accounts of a platform."""

from collections.abc import Callable, Iterable

from socialgate_sandbox.kernel.store import get_stored_name
from socialgate_sandbox.kit import StoredObject, VendorContext


def build_seed(
    yield_first_objects: Callable[[VendorContext], Iterable[StoredObject]],
) -> Callable[[VendorContext], None]:
    """Turn a function that yields things into a vendor's `seed`.

    It stores them once: if the world has begun before, only those are stored that this version lost because it could
    not read them, so what people deleted stays deleted.
    """

    def seed(context: VendorContext) -> None:
        is_new = True
        for place, thing in enumerate(yield_first_objects(context)):
            if place == 0:
                known = (get_stored_name(type(thing)), thing.id)
                is_new = known not in context.unreadable_objects and context.store.get(type(thing), thing.id) is None
                if not is_new and not context.unreadable_objects:
                    return
            if is_new or (get_stored_name(type(thing)), thing.id) in context.unreadable_objects:
                context.store.put(thing)

    return seed
