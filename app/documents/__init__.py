"""PDF, HTML and Markdown in; text, passages and pixels out."""
