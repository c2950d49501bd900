"""Tables for spreadsheets: no cell runs as a formula, and phone numbers stay as they are."""

import pytest

from socialgate.web.content_negotiation import encode_csv


@pytest.mark.parametrize("cell", ["=1+1", "+1+cmd", "-1", "@sum", "+12125550101\n", "+1 212", "+", "\uff0b12125550101"])
def test_a_cell_that_could_be_a_formula_is_quoted(cell: str) -> None:
    assert f"'{cell}" in encode_csv(("x",), [(cell,)])


@pytest.mark.parametrize("cell", ["+12125550101", "12", "a=b"])
def test_other_cells_stay_as_they_are(cell: str) -> None:
    assert encode_csv(("x",), [(cell,)]) == f"x\r\n{cell}\r\n"
