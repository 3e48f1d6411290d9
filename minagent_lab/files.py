"""Writing a file so that nobody ever finds half of it."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is the old one or the new one at every moment, even when the process is killed.

    The text goes into a file beside it, which then takes its name; UTF-8 and LF on every machine. A link is followed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder, "a.txt"), "你好。")
    ...     [(file.name, file.read_bytes().decode()) for file in Path(folder).iterdir()]
    [('a.txt', '你好。')]
    """
    path = Path(os.path.realpath(path))
    part = path.with_name(f".{path.name[:40]}.{os.urandom(4).hex()}.part")
    try:
        with part.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
