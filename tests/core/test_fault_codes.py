from typing import get_args

from socialgate.core.field_error_codes import FIELD_ERROR_CODES, FieldErrorCode


def test_every_fault_code_is_explained_and_in_order() -> None:
    assert list(get_args(FieldErrorCode)) == sorted(FIELD_ERROR_CODES) == list(FIELD_ERROR_CODES)
    assert all(meaning.endswith(".") for meaning in FIELD_ERROR_CODES.values())
