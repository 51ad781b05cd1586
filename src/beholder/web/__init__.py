"""Pages in a browser: the server that gives them out, and what it refuses."""
