"""A program with GLib's GMemoryMonitor."""
import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

monitor = Gio.MemoryMonitor.dup_default()
monitor.connect("low-memory-warning", lambda _, level: print("warned", int(level)))
print("listens by", type(monitor).__gtype__.name)
GLib.MainLoop().run()
