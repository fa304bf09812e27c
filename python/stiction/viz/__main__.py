"""The command `python -m stiction.viz`: render, plot, html and usd. Exit codes: 0 done, 1 bad input."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from stiction.arguments import Parser, window_size
from stiction.errors import InputError
from stiction.files import checked_output
from stiction.output.folder import RunFolder

STILLS = (".png", ".jpg", ".jpeg")
MOVIES = (".mp4", ".gif")
MODULE = "python -m stiction.viz"


def parser(program: str = MODULE) -> Parser:
    top = Parser(prog=program, description="Pictures and plots of a run's output directory.")
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

    html = commands.add_parser("html", help="write one page for the browser that shows the run, without a network")
    html.add_argument("directory", metavar="DIR", help="output directory of `stiction run`")
    html.add_argument("-o", "--output", metavar="FILE", help="page (.html), replaced if it is there; default: DIR/run.html")
    html.add_argument("--field", metavar="NAME", help="colour by this field, as for render")
    html.add_argument("--every", type=int, default=1, metavar="K", help="take every K-th frame")
    html.add_argument("--max-size", type=float, default=30.0, metavar="MB",
                      help="a larger page gets fewer frames, then coarser surfaces, and says so; default: 30")

    usd = commands.add_parser("usd", help="write the bodies over time as a USD stage")
    usd.add_argument("directory", metavar="DIR", help="output directory of `stiction run`")
    usd.add_argument("-o", "--output", required=True, metavar="FILE", help="stage (.usdc .usda .usd), replaced if it is there")
    usd.add_argument("--every", type=int, default=1, metavar="K", help="take every K-th frame")
    return top


def run(arguments: list[str], program: str = MODULE) -> None:
    options = parser(program).parse_args(arguments)
    if options.command == "render":
        output = checked_output(options.output, STILLS + MOVIES)
        from stiction.viz import render  # drawing libraries are slow to load: only when used

        render.render(options, output, animated=output.suffix.lower() in MOVIES)
    elif options.command == "html":
        output = Path(options.output or os.path.join(options.directory, "run.html"))
        from stiction.viz import html

        html.write(RunFolder(options.directory), output, field=options.field, every=options.every,
                   max_bytes=1e6 * options.max_size, say=print)
    elif options.command == "usd":
        from stiction.viz import usd

        output = usd.write(RunFolder(options.directory), options.output, every=options.every)
    else:
        output = checked_output(options.output or os.path.join(options.directory, "plot.png"), (*STILLS, ".svg", ".pdf"))
        from stiction.viz import plot

        plot.plot(options.directory, output)
    print(output)


def main(arguments: list[str] | None = None, program: str = MODULE) -> int:
    try:
        run(sys.argv[1:] if arguments is None else arguments, program)
    except InputError as error:
        print(f"{'' if program == MODULE else 'stiction: '}error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
