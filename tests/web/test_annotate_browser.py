"""The annotation page in a real browser, on a real server over a real project."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from desk_pages import at_item, at_rest, begin, decided, press, shown_state
from served_projects import NAMES, Served, made, picture, serving

from beholder.annotate.forms import form_of
from beholder.annotate.items import NewItem
from report.browsing import Seen, expect

# -- the work ------------------------------------------------------------------------------------------------------


def test_an_item_is_annotated_with_the_keyboard_alone(served: Served, opened: Callable[..., Seen]) -> None:
    page = begin(opened(served.url))
    at_item(page, 2)  # what people have to decide comes first
    press(page, "y", "Tab")
    page.keyboard.type("national debt")
    press(page, "Tab")
    page.keyboard.type("a time bomb")
    press(page, "Tab", "g", "a")
    page.keyboard.type("digits like those of a countdown")
    press(page, "Escape", "b")
    expect(page.locator(".box")).to_be_focused()
    press(page, *["ArrowRight"] * 4, *["ArrowDown"] * 2, *["Shift+ArrowLeft"] * 6, "Enter", "Escape", "e")
    page.keyboard.type("Both run out.")
    press(page, "Escape", "m")
    page.keyboard.type("asked a colleague")
    press(page, "Control+Enter")
    at_item(page, 1)
    value, note, state, revision = decided(served, "two/0")
    assert value == {
        "metaphor": "yes",
        "target": "national debt",
        "source": "a time bomb",
        "sentiment": "negative",
        "evidence": [{"kind": "visual", "text": "digits like those of a countdown", "box": [0.32, 0.31, 0.69, 0.71]}],
        "mapping": "Both run out.",
    }
    assert (note, state, revision) == ("asked a colleague", "done", 1)
    assert [(row.author, row.action) for row in served.project.history("two/0")] == [("Ada", "save")]
    expect(page.locator("#count")).to_have_text("1 of 4 done")
    press(page, "s")
    at_item(page, 3)
    assert decided(served, "one-0")[0]["target"] == "the market"  # what the models settled was confirmed as it stood


def test_keys_go_through_the_list_skip_and_undo(served: Served, opened: Callable[..., Seen]) -> None:
    page = begin(opened(served.url))
    for key, number in (("j", 1), ("j", 3), ("k", 1), ("k", 2)):
        press(page, key)
        at_item(page, number)
    press(page, "k")
    expect(page.locator(".message")).to_contain_text("first item")
    press(page, "n", "x")
    at_item(page, 1)
    assert decided(served, "two/0")[:3] == ({"metaphor": "no"}, "", "skipped")
    press(page, "s")
    at_item(page, 3)
    press(page, "u")
    at_item(page, 1)
    shown_state(page, "to confirm")
    assert decided(served, "one-0")[2:] == ("confirm", 2)
    press(page, "u")
    at_item(page, 2)
    shown_state(page, "to decide")
    assert decided(served, "two/0") == ({}, "", "adjudicate", 2)
    press(page, "u")
    expect(page.locator(".message")).to_contain_text("nothing to undo")


def test_a_proposal_is_taken_over_by_its_number_and_taken_back(served: Served, opened: Callable[..., Seen]) -> None:
    page = begin(opened(served.url))
    shown = served.project.item("two/0", "Ada").proposals
    place = next(place for place, one in enumerate(shown) if one.value.get("metaphor") == "yes")
    lost = next(place for place, one in enumerate(shown) if one.missing)
    expect(page.locator(".card").nth(lost)).to_contain_text("no answer (refused)")
    assert not any(name.partition("/")[2] in page.content() for name in NAMES)
    press(page, "n", str(place + 1))
    expect(page.locator("#field-target")).to_have_value(shown[place].value["target"])
    expect(page.locator(".box")).to_have_count(1)
    press(page, str(lost + 1))
    expect(page.locator(".message")).to_contain_text("has no answer")
    press(page, "u")
    expect(page.locator("#field-target")).to_have_count(0)
    expect(page.locator("input[name=metaphor]").nth(1)).to_be_checked()
    page.locator(".card").nth(place).get_by_role("button").click()
    press(page, "s")
    at_item(page, 1)
    assert decided(served, "two/0")[0] == shown[place].value


def test_a_form_of_other_fields_keeps_the_keys_that_it_leaves_free(opened: Callable[..., Seen], tmp_path: Path) -> None:
    records = [
        NewItem(key=f"item-{number}", record={"question": "How many?", "answer": number}, images=(picture(),))
        for number in range(2)
    ]
    with serving(made(tmp_path / "each", records, form_of("error-labels"))) as served:
        page = begin(opened(served.url), "Béla")
        press(page, "1", "s")  # `s` is the form's: sure
        expect(page.locator("input[name=certain]").nth(0)).to_be_checked()
        at_item(page, 1)
        press(page, "Shift+s")
        at_item(page, 2)
        assert served.project.item("item-0", "Béla").value == {"error": "perception", "certain": "sure"}
        assert served.project.item("item-0", "Ada").state == "open"  # everybody decides for themselves
        press(page, "?")
        expect(page.get_by_role("dialog")).to_contain_text("⇧ S")
        press(page, "Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        at_rest(page)


@pytest.mark.slow
def test_what_the_form_does_not_allow_is_told_beside_the_field(served: Served, opened: Callable[..., Seen]) -> None:
    seen = opened(served.url)
    page = begin(seen)
    press(page, "y", "s")
    expect(page.locator(".faults")).to_contain_text("Target: please fill this in.")
    expect(page.locator("#field-source-wrong")).to_have_text("Please fill this in.")
    expect(page.locator("#field-target")).to_be_focused()
    assert decided(served, "two/0")[3] == 0
    page.keyboard.type("debt")
    expect(page.locator(".faults")).to_have_count(0)
    assert [line for line in seen.said if "422" not in line] == []
    seen.said.clear()  # the browser itself notes that the server refused


@pytest.mark.slow
def test_the_list_is_filtered_and_searched(served: Served, opened: Callable[..., Seen]) -> None:
    page = begin(opened(served.url))
    rows = page.locator(".queue-row")
    expect(rows).to_have_count(4)
    page.get_by_label("Show").select_option("confirm")
    expect(rows).to_have_count(2)
    press(page, "Escape", "/")
    page.keyboard.type("HOUSE")
    expect(rows).to_have_count(1)
    press(page, "Escape", "j")
    at_item(page, 1)
    expect(rows.first).to_have_attribute("aria-current", "true")


# -- nothing is lost -----------------------------------------------------------------------------------------------


def test_a_stale_save_of_a_second_tab_is_refused_and_both_texts_are_there(
    served: Served, opened: Callable[..., Seen]
) -> None:
    one = opened(served.url)
    page = begin(one)
    other = one.page.context.new_page()
    other.goto(page.url)
    at_item(other, 2)
    for tab, mapping in ((page, "first text"), (other, "second text")):
        tab.keyboard.press("n")
        tab.keyboard.press("o")
        tab.keyboard.press("e")
        tab.keyboard.type(mapping)
        tab.keyboard.press("Escape")
    press(page, "s")
    at_item(page, 1)
    press(other, "s")
    conflict = other.locator(".conflict")
    expect(conflict).to_contain_text("Somebody saved meanwhile")
    expect(conflict).to_contain_text("first text")
    expect(conflict).to_contain_text("second text")
    expect(other.locator("#field-mapping")).to_have_value("second text")
    assert decided(served, "two/0")[0]["mapping"] == "first text"
    press(other, "s")  # not by a key that was pressed out of habit
    assert decided(served, "two/0")[3] == 1
    other.reload()
    expect(conflict).to_contain_text("second text")
    expect(other.locator("#field-mapping")).to_have_value("second text")
    other.get_by_role("button", name="Save mine on top").click()
    at_item(other, 1)
    value, _, state, revision = decided(served, "two/0")
    assert (value["mapping"], state, revision) == ("second text", "done", 2)
    history = [(row.action, row.value["mapping"]) for row in served.project.history("two/0")]
    assert history == [("save", "first text"), ("refused", "second text"), ("save", "second text")]
    other.close()
    assert [line for line in one.said if "409" not in line] == []
    one.said.clear()


@pytest.mark.slow
def test_the_other_version_can_be_taken_and_ones_own_is_still_in_the_history(
    served: Served, opened: Callable[..., Seen]
) -> None:
    seen = opened(served.url)
    page = begin(seen)
    press(page, "n", "o", "e")
    page.keyboard.type("mine")
    theirs = {"metaphor": "no", "sentiment": "positive", "mapping": "theirs"}
    served.project.save("two/0", author="Béla", value=theirs, revision=0)
    press(page, "Control+Enter")
    expect(page.locator(".conflict")).to_contain_text("Béla")
    page.get_by_role("button", name="use in mine").first.click()
    expect(page.locator("input[name=sentiment]").nth(0)).to_be_checked()
    page.get_by_role("button", name="Drop mine").click()
    expect(page.locator("#field-mapping")).to_have_value("theirs")
    expect(page.locator(".conflict")).to_have_count(0)
    page.locator(".history > summary").click()
    refused = page.locator(".history li.refused")
    refused.get_by_text("What it said").click()
    refused.get_by_role("button").click()
    expect(page.locator("#field-mapping")).to_have_value("mine")
    press(page, "s")
    at_item(page, 1)
    assert decided(served, "two/0")[0]["mapping"] == "mine"
    assert [line for line in seen.said if "409" not in line] == []
    seen.said.clear()


@pytest.mark.slow
def test_what_was_not_saved_is_there_after_a_reload_and_after_looking_elsewhere(
    served: Served, opened: Callable[..., Seen]
) -> None:
    page = begin(opened(served.url))
    press(page, "n", "e")
    page.keyboard.type("half a thought")
    page.reload()
    at_item(page, 2)
    expect(page.locator("#field-mapping")).to_have_value("half a thought")
    press(page, "j")
    at_item(page, 1)
    expect(page.locator(".queue-row").first).to_contain_text("not saved")
    press(page, "k")
    expect(page.locator("#field-mapping")).to_have_value("half a thought")
    page.get_by_role("button", name="drop changes").click()
    expect(page.locator("#field-mapping")).to_have_value("")
    page.reload()
    at_item(page, 2)
    expect(page.locator("#field-mapping")).to_have_value("")
    assert decided(served, "two/0")[3] == 0


@pytest.mark.slow
def test_a_server_that_is_gone_loses_nothing(opened: Callable[..., Seen], tmp_path: Path) -> None:
    with serving(made(tmp_path / "project")) as served:
        seen = opened(served.url)
        page = begin(seen)
        press(page, "n", "o")
        at_rest(page)
    press(page, "s")
    expect(page.locator(".message.trouble")).to_contain_text("cannot be reached")
    expect(page.locator("input[name=metaphor]").nth(1)).to_be_checked()
    seen.said.clear()


# -- boxes ---------------------------------------------------------------------------------------------------------


def test_boxes_are_drawn_moved_and_resized_by_mouse(served: Served, opened: Callable[..., Seen]) -> None:
    page = begin(opened(served.url))
    page.locator(".picture img").evaluate("image => image.decode()")
    area = page.locator(".surface").bounding_box()

    def drag(*points: tuple[float, float]) -> None:
        spots = [(area["x"] + x * area["width"], area["y"] + y * area["height"]) for x, y in points]
        page.mouse.move(*spots[0])
        page.mouse.down()
        for spot in spots[1:]:
            page.mouse.move(*spot, steps=4)
        page.mouse.up()

    drag((0.1, 0.2), (0.4, 0.6))
    page.keyboard.type("drawn")
    drag((0.9, 0.9), (0.6, 0.7))
    page.keyboard.type("the other way")
    expect(page.locator(".box")).to_have_count(2)
    drag((0.25, 0.4), (0.35, 0.5))  # inside the first: moves it
    drag((0.5, 0.7), (0.55, 0.65))  # by its lower right corner
    drag((0.9, 0.1), (0.902, 0.102))  # hardly an area: none
    expect(page.locator(".box")).to_have_count(2)
    press(page, "n", "o", "s")
    at_item(page, 1)
    pieces = decided(served, "two/0")[0]["evidence"]
    assert [piece["text"] for piece in pieces] == ["drawn", "the other way"]
    assert pieces[0]["box"] == pytest.approx([0.2, 0.3, 0.55, 0.65], abs=0.01)
    assert pieces[1]["box"] == pytest.approx([0.6, 0.7, 0.9, 0.9], abs=0.01)


@pytest.mark.slow
def test_a_box_is_made_changed_and_removed_by_keys_and_numbers(served: Served, opened: Callable[..., Seen]) -> None:
    page = begin(opened(served.url))
    press(page, "b")
    box = page.locator(".box")
    expect(box).to_be_focused()
    press(page, *["Shift+ArrowRight"] * 10, *["ArrowUp"] * 4, *["ArrowLeft"] * 6)
    expect(box).to_have_attribute("aria-label", "Box 1, no text yet: 27–72 % across, 28–68 % down")
    press(page, "Enter")
    expect(page.get_by_label("Piece 1: what is seen")).to_be_focused()
    page.get_by_label("right", exact=True).fill("80")
    press(page, "Tab")
    expect(box).to_have_attribute("aria-label", "Box 1, no text yet: 27–80 % across, 28–68 % down")
    page.get_by_label("bottom", exact=True).fill("20")
    press(page, "Tab")
    expect(page.get_by_label("bottom", exact=True)).to_have_value("68")  # a box has an area
    box.focus()
    press(page, "Delete")
    expect(box).to_have_count(0)
    expect(page.get_by_label("Piece 1: what is seen")).to_be_focused()
