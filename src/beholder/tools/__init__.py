"""Tools that a model may call while it answers, and the loop that runs them."""
