"""The window: Qt widgets over the application and its events."""
