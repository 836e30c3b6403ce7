"""Small widgets that every pane uses."""
