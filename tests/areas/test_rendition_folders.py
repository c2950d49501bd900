"""Folders of conversions: as many at a time as there are cores, on the whole machine, and none is left."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from socialgate.areas.media.renditions.work_folder import (
    NoCoreFreeError,
    delete_abandoned_folders,
    open_work_folder,
)

_HOLDER = """
import sys
from pathlib import Path
from socialgate.areas.media.renditions.work_folder import open_work_folder

with open_work_folder(Path(sys.argv[1]), "other", 2) as folder:
    (folder / "half").write_text("a file")
    print("open", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("cores", [1, 2])
def test_there_is_one_folder_for_each_core(tmp_path: Path, cores: int) -> None:
    with open_work_folder(tmp_path, "first", cores) as first:
        assert first.is_dir()
        if cores == 1:
            with pytest.raises(NoCoreFreeError), open_work_folder(tmp_path, "second", cores):
                pass
        else:
            with open_work_folder(tmp_path, "second", cores) as second:
                assert second != first
    assert not list(tmp_path.iterdir())


def test_processes_of_one_machine_share_its_cores_and_leave_nothing(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"open\n"
        delete_abandoned_folders(tmp_path)
        assert len(list(tmp_path.iterdir())) == 2, "a folder in use stays"
        with pytest.raises(NoCoreFreeError), open_work_folder(tmp_path, "mine", 1):
            pass
        os.kill(holder.pid, signal.SIGKILL)
    with open_work_folder(tmp_path, "mine", 1) as folder:
        assert {path.name for path in tmp_path.iterdir()} == {folder.name, f"{folder.name}.lock"}
    assert not list(tmp_path.iterdir())
