"""Scripts: sheets of lines that are imported, rendered, checked, selected and delivered."""
