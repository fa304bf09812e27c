"""The command `python -m stiction.viz`: render and plot. Exit codes: 0 done, 1 bad input."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from stiction.run import InputError

STILLS = (".png", ".jpg", ".jpeg")
MOVIES = (".mp4", ".gif")


class Parser(argparse.ArgumentParser):
    """argparse with this project's exit code for bad input."""

    def error(self, message: str) -> None:
        raise InputError(message)


def window_size(text: str) -> tuple[int, int]:
    try:
        width, height = (int(part) for part in text.lower().split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: expected WIDTHxHEIGHT, such as 1280x720") from None
    if not (16 <= width <= 8192 and 16 <= height <= 8192):
        raise argparse.ArgumentTypeError(f"{text!r}: expected a width and a height from 16 to 8192")
    return width, height


def parser() -> Parser:
    top = Parser(prog="python -m stiction.viz", description="Pictures and plots of a run's output directory.")
    commands = top.add_subparsers(dest="command", required=True, parser_class=Parser)

    render = commands.add_parser("render", help="draw frames off-screen to a picture or an animation")
    render.add_argument("directory", metavar="DIR", help="output directory of `stiction run`")
    render.add_argument("-o", "--output", required=True, metavar="FILE",
                        help="picture (.png .jpg) or animation (.mp4 .gif); a file of that name is replaced")
    render.add_argument("--field", metavar="NAME", help="colour by this point or cell field: vectors by length, or NAME:x, NAME:y, "
                        "NAME:z; default: body if there are several bodies, else displacement")
    render.add_argument("--range", metavar="LOW,HIGH", help="values at the ends of the colour scale; default: those of the frames drawn")
    render.add_argument("--frame", metavar="N", help="frame number, first or last; default: last (pictures), all (animations)")
    render.add_argument("--every", type=int, default=1, metavar="K", help="animations: draw every K-th frame")
    render.add_argument("--fps", type=float, metavar="F", help="animations: frames a second; default: real time, between 10 and 60")
    render.add_argument("--camera", default="default", metavar="VIEW", help="default, front, back, left, right, top, AZIMUTH,ELEVATION in degrees "
                        "or X,Y,Z,FX,FY,FZ (position and focus in metres); y is up")
    render.add_argument("--zoom", type=float, default=1.0, metavar="Z", help="above 1: closer")
    render.add_argument("--size", type=window_size, default=(1280, 720), metavar="WxH", help="pixels; default: 1280x720")
    render.add_argument("--hide-obstacles", action="store_true", help="draw bodies only")

    plot = commands.add_parser("plot", help="plot energy, gap, iterations and time of a run's steps.csv")
    plot.add_argument("directory", metavar="DIR", help="output directory of `stiction run`")
    plot.add_argument("-o", "--output", metavar="FILE", help="picture (.png .jpg .svg .pdf), replaced if it is there; default: DIR/plot.png")
    return top


def checked_output(text: str, endings: tuple[str, ...]) -> Path:
    """Only a file whose ending says it is a picture is ever written or replaced."""
    path = Path(text)
    if path.suffix.lower() not in endings:
        raise InputError(f"{path}: expected a file ending in {', '.join(endings)}")
    if path.is_dir():
        raise InputError(f"{path}: is a directory")
    if not path.absolute().parent.is_dir():
        raise InputError(f"{path.parent}: no such directory")
    return path


def run(arguments: list[str]) -> None:
    options = parser().parse_args(arguments)
    if options.command == "render":
        output = checked_output(options.output, STILLS + MOVIES)
        from stiction.viz import render  # drawing libraries are slow to load: only when used

        render.render(options, output, animated=output.suffix.lower() in MOVIES)
    else:
        output = checked_output(options.output or os.path.join(options.directory, "plot.png"), (*STILLS, ".svg", ".pdf"))
        from stiction.viz import plot

        plot.plot(options.directory, output)
    print(output)


def main(arguments: list[str] | None = None) -> int:
    try:
        run(sys.argv[1:] if arguments is None else arguments)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
