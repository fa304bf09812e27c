"""Writers of pictures and animations: what takes (height, width, 3) byte arrays and makes a file of them."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Iterator

import imageio.v2 as imageio
import numpy as np


@contextmanager
def open_writer(path: Path, fps: float) -> Iterator[Callable[[np.ndarray], None]]:
    """A function to hand pictures to; the ending of `path` decides the format, `fps` counts for animations only."""
    ending = path.suffix.lower()
    if ending == ".mp4":
        writer = imageio.get_writer(path, format="FFMPEG", fps=fps, codec="libx264", quality=8, macro_block_size=2,
                                    ffmpeg_log_level="error", output_params=["-movflags", "+faststart"])
    elif ending == ".gif":
        writer = imageio.get_writer(path, format="GIF-PIL", duration=1000.0 / fps, loop=0)
    else:
        yield lambda picture: imageio.imwrite(path, picture)
        return
    try:
        yield writer.append_data
    finally:
        writer.close()
