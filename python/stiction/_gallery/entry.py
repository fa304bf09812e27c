"""A scene of the gallery: how it is built, and what is expected of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Collection, Mapping

from stiction.errors import InputError

if TYPE_CHECKING:
    from stiction.run import Run
    from stiction.scene import Scene

SIZES = ("small", "paper")
#: Text of the claim on the stored states of every run.
FAULTS = "stored states with an inverted tet, or with an intersection where the method promises none"


@dataclass(frozen=True)
class Claim:
    """A number that a scene has to show, and its bounds, both included. `text` says what it is, with its unit.

    `truth`: what theory or paper the bounds come from, if they do; docs/truth.md lists such claims for all methods.
    """

    text: str
    measured: float
    low: float = -math.inf
    high: float = math.inf
    truth: str = ""

    @property
    def holds(self) -> bool:
        return self.low <= self.measured <= self.high


Runs = Mapping[str, "Run"]


@dataclass(frozen=True)
class Picture:
    """Which frame of which variant docs/gallery.md shows, from where and in which colours (as `stiction viz render`)."""

    variant: str = ""
    frame: str = "last"
    camera: str = "default"
    zoom: float = 1.0
    hide_obstacles: bool = False
    field: str = ""


@dataclass(frozen=True)
class Entry:
    """A scene of the gallery.

    shows: figures and tables of the papers, such as "ipc figure 5". expects: what should happen, in a sentence.
    build: makes the scene from the keywords of a size and of a variant. claims: numbers of the runs, by variant.
    sizes: keywords of `small` (about a minute) and `paper` (the vertices of the paper). variants: keywords by label.
    differs: how the scene differs from the paper's, empty if it does not. disagree: why methods differ, where they do.
    measures: the variant that a claim measures, by the words before the colon of its text, where they are no label.
    """

    name: str
    title: str
    shows: tuple[str, ...]
    expects: str
    build: Callable[..., Scene]
    claims: Callable[[Runs], list[Claim]]
    sizes: Mapping[str, Mapping[str, Any]]
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"": {}})
    picture: Picture = Picture()
    differs: str = ""
    disagree: str = ""
    measures: Mapping[str, str] = field(default_factory=dict)

    def variant_of(self, text: str) -> str | None:
        """The variant that the claim of this text measures; None if it measures several."""
        if len(self.variants) == 1:
            return next(iter(self.variants))
        words = text.partition(":")[0]
        return self.measures.get(words, words if words in self.variants else None)

    def scene(self, size: str = "small", variant: str | None = None) -> Scene:
        """The scene in this size; without a variant the first one. Raises InputError for names that do not exist."""
        if size not in self.sizes:
            raise InputError(f"size: '{size}': expected one of {', '.join(self.sizes)}")
        label = next(iter(self.variants)) if variant is None else variant
        if label not in self.variants:
            raise InputError(f"variant: '{label}': expected one of {', '.join(self.variants)}")
        return self.build(**{**self.sizes[size], **self.variants[label]})

    def folder(self, directory: Path, variant: str) -> Path:
        """Where the run of a variant goes, below the directory of the entry."""
        return directory / variant if variant else directory

    def run(self, directory: str | Path | None = None, size: str = "small", method: str | None = None, *,
            progress: bool | None = None) -> Result:
        """Simulates all variants, each with files, and looks at the claims.

        `directory`: a new folder, by default one of the entry's name. `method`: in place of that of the scene.
        Raises InputError if a run is there already, or if the method cannot simulate the scene.
        """
        base = Path(self.name if directory is None else directory)
        runs = {label: self.scene(size, label).run(self.folder(base, label), method, progress=progress)
                for label in self.variants}
        return Result(self, runs)


@dataclass(frozen=True)
class Result:
    """What the runs of an entry came to. True if all claims hold and all runs reached their end without a fault."""

    entry: Entry
    runs: Runs

    @property
    def common_claims(self) -> list[Claim]:
        """What is claimed of every scene: it comes to its end, and no stored state has a fault."""
        missing = sum(run.scene["time"]["steps"] - run.report["steps"] for run in self.runs.values())
        return [Claim("steps that could not be completed", missing, 0, 0), *self.stretch_claims]

    @property
    def stretch_claims(self) -> list[Claim]:
        """What is claimed of a part of a run: no stored state has a fault."""
        faults = sum(run.report["audit"]["faulty_states"] for run in self.runs.values())
        return [Claim(FAULTS, faults, 0, 0)]

    def claims_of(self, variants: Collection[str]) -> list[Claim]:
        """Claims of the scene that measure one of these variants alone."""
        return [claim for claim in self.entry.claims(self.runs) if self.entry.variant_of(claim.text) in variants]

    @property
    def claims(self) -> list[Claim]:
        """Claims of the scene, after those that all scenes share."""
        return [*self.common_claims, *self.entry.claims(self.runs)]

    def __bool__(self) -> bool:
        return all(claim.holds for claim in self.claims)

    def __repr__(self) -> str:
        failed = [claim.text for claim in self.claims if not claim.holds]
        return f"<{self.entry.name}: {'all claims hold' if not failed else 'fails: ' + '; '.join(failed)}>"

