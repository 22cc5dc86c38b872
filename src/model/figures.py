# matplotlib backend of a run: Agg, and every figure that is shown becomes figure-1.png, figure-2.png ...
# in the current folder. matplotlib loads it by MPLBACKEND; other scripts never see it.
#
# A figure is saved when it is shown, and at exit when it is still open, unless nothing changed since it
# was last saved, here or by the script itself (to a path). As with a window, plt.show() closes what it
# showed, so that the next plot begins a figure of its own. show(block=False), Figure.show() and plt.pause()
# do not, and may come for every frame of an animation: such a figure is saved when it is closed.
import atexit
import os
import sys

import matplotlib
from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

REPORT = os.path.join(os.path.expanduser("~"), ".tickmark-figures")
lost = 0


def report():
    # Read by tickmark when the run has ended; no artifact.
    try:
        with open(REPORT, "w") as f:
            f.write("backend tickmark_figures (Agg, matplotlib %s)\nlost %d\n" % (matplotlib.__version__, lost))
    except OSError:
        pass


def is_path(target):
    return isinstance(target, (str, bytes)) or hasattr(target, "__fspath__")


class FigureCanvasTickmark(FigureCanvasAgg):
    kept = False  # the figure was saved at least once

    def print_figure(self, filename, *args, **kwargs):
        figure = self.figure
        result = super().print_figure(filename, *args, **kwargs)
        if is_path(filename):
            self.settle(figure)
        return result

    def settle(self, figure):
        # Saving sets colours and size and puts them back, which counts as a change; anything that the
        # script changes from here on makes it stale again.
        figure.stale = False
        self.kept = True

    def is_saved(self):
        return self.kept and not self.figure.stale


class FigureManagerTickmark(FigureManagerBase):
    shown = False

    def show(self):
        self.shown = True

    def destroy(self, *args):
        if self.shown:
            save(self)
        super().destroy(*args)

    @classmethod
    def pyplot_show(cls, *args, **kwargs):
        show(*args, **kwargs)


def create():
    number = 1
    while True:
        name = "figure-%d.png" % number
        try:
            fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o644)
            return name, os.fdopen(fd, "wb")
        except FileExistsError:
            number += 1


def save(manager):
    global lost
    canvas = manager.canvas
    if isinstance(canvas, FigureCanvasTickmark) and canvas.is_saved():
        return
    name = None
    try:
        name, f = create()
        with f:
            canvas.print_figure(f, format="png")
        if isinstance(canvas, FigureCanvasTickmark):
            canvas.settle(canvas.figure)
    except Exception as error:
        lost += 1
        report()
        if name:
            try:
                os.unlink(name)
            except OSError:
                pass
        sys.stderr.write("tickmark: a figure could not be saved: %s: %s\n" % (type(error).__name__, error))


def is_empty(figure):
    # Only its background: what plt.title() after plt.show() leaves behind is not worth a file.
    return len(figure.get_children()) <= 1


def show(*args, **kwargs):
    block = kwargs.get("block", args[0] if args else None)
    for number in sorted(Gcf.figs):
        Gcf.figs[number].show()
        if block is not False:
            Gcf.destroy(number)


def draw_if_interactive():
    pass


def new_figure_manager(num, *args, **kwargs):
    figure_class = kwargs.pop("FigureClass", Figure)
    return new_figure_manager_given_figure(num, figure_class(*args, **kwargs))


def new_figure_manager_given_figure(num, figure):
    return FigureManagerTickmark(FigureCanvasTickmark(figure), num)


def at_exit():
    for number in sorted(Gcf.figs):
        manager = Gcf.figs[number]
        if getattr(manager, "shown", False) or not is_empty(manager.canvas.figure):
            save(manager)


FigureCanvas = FigureCanvasTickmark
FigureManager = FigureManagerTickmark
FigureCanvasTickmark.manager_class = FigureManagerTickmark
report()
atexit.register(at_exit)
