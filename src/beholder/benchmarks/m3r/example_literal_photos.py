"""The five posters of a photograph with a literal caption. The photographs ship with the package (`synth/photos`)."""

from __future__ import annotations

from beholder.benchmarks.m3r.example_canvas import Canvas


def coffee_hours() -> Canvas:
    """A cup of coffee on its saucer, and when the shop is open."""
    sheet = Canvas("#3b2417")
    sheet.photograph("coffee.jpg", 40, 20, 560, {"cup": (0.13, 0.03, 0.80, 0.98), "spoon": (0.53, 0.16, 0.71, 0.84)})
    with sheet.part("hours"):
        sheet.text(320, 436, "MON to SAT, 7 AM to 6 PM", 32, "#f6e3c8")
    return sheet


def cat_is_home() -> Canvas:
    """A cat that looks into the camera, under the word FOUND."""
    sheet = Canvas("#fffaf0")
    with sheet.part("headline"):
        sheet.text(320, 42, "FOUND!", 48, "#2e7d32")
    sheet.photograph("chelsea.jpg", 45, 84, 550, {"cat": (0.0, 0.0, 0.86, 1.0), "eyes": (0.29, 0.26, 0.78, 0.56)})
    return sheet


def rocket_on_pad() -> Canvas:
    """A rocket on its launch pad at dusk."""
    sheet = Canvas("#0b1230")
    sheet.photograph("rocket.jpg", 0, 26, 640, {"rocket": (0.47, 0.29, 0.54, 0.98), "lamps": (0.10, 0.80, 0.75, 1.0)})
    return sheet


def deep_field() -> Canvas:
    """A telescope's photograph of many galaxies on black."""
    sheet = Canvas("#05060a")
    seen = {"galaxies": (0.0, 0.0, 1.0, 1.0), "bright galaxy": (0.69, 0.51, 0.76, 0.58)}
    sheet.photograph("hubble.jpg", 52, 6, 536, seen)
    return sheet


def old_coins() -> Canvas:
    """Four rows of old coins, as a museum lays them out."""
    sheet = Canvas("#26221c")
    seen = {"coins": (0.04, 0.04, 0.99, 0.98), "first row's last coin": (0.78, 0.05, 0.96, 0.26)}
    sheet.photograph("coins.jpg", 30, 10, 580, seen)
    return sheet
