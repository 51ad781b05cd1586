"""Where code that a model wrote is run."""
