"""The library pane: navigation, rows, import queue."""
