"""The timeline pane: what was asked, what was done, what was answered."""
