"""Other tools' files: read into run folders, and written from them."""
