from typing import get_args

from socialgate.core.fault_codes import FAULT_CODES, FaultCode


def test_every_fault_code_is_explained_and_in_order() -> None:
    assert list(get_args(FaultCode)) == sorted(FAULT_CODES) == list(FAULT_CODES)
    assert all(meaning.endswith(".") for meaning in FAULT_CODES.values())
