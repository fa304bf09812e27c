"""A simulation: a scene that is stepped, and its window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stiction.simulation.stepping import SteppedScene

if TYPE_CHECKING:
    from stiction.viz.live import LiveView


class Simulation(SteppedScene):
    """A scene under way, made by Scene.simulate. `sim[name]` is a body; arrays cover all vertices of the world.

    Arrays are read-only and show the memory of the step that they were asked after: they are not copied, and later
    steps do not change them. One thread at a time may use a simulation.
    """

    def view(self, **options: Any) -> LiveView:
        """Shows the steps from now on in a window, as `stiction.view` does; see there for the options."""
        from stiction.viz.viewing import Window

        return Window(**options).show(self)
