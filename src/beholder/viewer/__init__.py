"""What the viewer shows, as plain data: runs, samples, comparisons, leaderboards. `beholder.web` gives it out."""
