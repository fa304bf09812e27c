"""A scene of the gallery: how it is built, and what is expected of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Collection, Mapping

from stiction.values import as_path
from stiction.errors import InputError

if TYPE_CHECKING:
    from stiction.run.run import Run
    from stiction.scene.builder import Scene

SIZES = ("small", "paper")
#: Text of the claim on the stored states of every run.
FAULTS = "stored states with an inverted tet, or with an intersection where the method promises none"
#: A stretch of a run says little about contact if it has fewer steps in contact.
LEAST_IN_CONTACT = 20


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


def steps_in_contact(run: Run) -> int:
    """Completed steps of the run at whose end something touches."""
    steps = run.steps
    return int(((steps["contacts"] > 0) & (steps["step"] <= run.report["steps"])).sum())


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
        """The variant that the claim of this text measures; None if it measures several.

        A claim without a label measures the variant that has none, if there is one.
        """
        if len(self.variants) == 1:
            return next(iter(self.variants))
        words = text.partition(":")[0]
        without = "" if "" in self.variants else None
        return self.measures.get(words, words if words in self.variants else without)

    def scene(self, size: str = "small", variant: str | None = None) -> Scene:
        """The scene in this size; without a variant the first one. Raises InputError for names that do not exist."""
        label = next(iter(self.variants)) if variant is None else variant
        for name, value, known in (("size", size, self.sizes), ("variant", label, self.variants)):
            if not isinstance(value, str) or value not in known:
                words = ", ".join(word or "''" for word in known)
                raise InputError(f"{name}: '{value}': expected one of {words}")
        scene = self.build(**{**self.sizes[size], **self.variants[label]})
        scene.set("contact.lengths", "scene")  # as in the papers
        return scene

    def folder(self, directory: Path, variant: str) -> Path:
        """Where the run of a variant goes, below the directory of the entry."""
        return directory / variant if variant else directory

    def run(self, directory: str | Path | None = None, size: str = "small", method: str | None = None, *,
            progress: bool | None = None) -> Result:
        """Simulates all variants, each with files, and looks at the claims.

        `directory`: a new folder, by default one of the entry's name. `method`: in place of that of the scene.
        Raises InputError if the folder holds files, or if the method cannot simulate the scene.
        """
        base = Path(self.name) if directory is None else as_path(directory, "directory")
        if base.is_dir() and any(base.iterdir()):
            raise InputError(f"{base}: expected an empty or new directory")
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
        return [Claim("steps that could not be completed", missing, 0, 0), self.state_claim]

    @property
    def state_claim(self) -> Claim:
        """What is claimed of the states of every run, also of a part of it."""
        return Claim(FAULTS, sum(run.report["audit"]["faulty_states"] for run in self.runs.values()), 0, 0)

    def stretch_claims(self, limited: Collection[str]) -> list[Claim]:
        """What is claimed where a limit ended these variants: no fault in stored states, and steps in contact."""
        found = [self.state_claim]
        for label in (label for label in self.runs if label in limited):
            words = f"{label}: steps in contact" if label else "steps in contact"
            least = min(LEAST_IN_CONTACT, self.runs[label].scene["time"]["steps"])
            found.append(Claim(words, steps_in_contact(self.runs[label]), least))
        return found

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

