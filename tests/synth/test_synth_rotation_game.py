from __future__ import annotations

import collections
import io
import math
import re

import msgspec
import numpy as np
import pytest
from PIL import Image

from beholder.errors import DataError, UsageError
from beholder.synth.item import LEVELS, Sources
from beholder.synth.items.rotation_game import (
    FINEST_STEP,
    INSET,
    LEAST_CHANGE,
    SIDE,
    Certificate,
    draw,
    make,
    picture,
    upright,
)
from beholder.synth.photographs import SHIPPED, photos_in, shipped_photos
from beholder.synth.solvers import GaveUp
from beholder.synth.solvers.rotation_game import glance, solve

SOURCES = Sources(shipped_photos())


def shown(item):
    return np.asarray(Image.open(io.BytesIO(item.pictures[0])).convert("RGB"))


def offered(item):
    """Letter → degrees, as the question has them."""
    return {letter: int(degrees) for letter, degrees in re.findall(r"^([A-F])\. (\d+)°$", item.prompt, re.MULTILINE)}


def own(folder, look, count=1):
    for number in range(count):
        Image.fromarray(look(number)).save(folder / f"{number}.png")
    return Sources(photos_in(folder))


def lighter_upwards(_):
    return np.repeat(np.repeat(np.linspace(230, 20, 300)[:, None], 300, axis=1)[..., None], 3, axis=2).astype(np.uint8)


def without_upright(number):
    """Soft round noise: as much of it in each direction."""
    spectrum = np.fft.fft2(np.random.default_rng(number).normal(size=(320, 320)))
    frequency = np.hypot(np.fft.fftfreq(320)[:, None], np.fft.fftfreq(320)[None, :])
    soft = np.fft.ifft2(spectrum / (frequency + 0.01) * np.exp(-((frequency / 0.3) ** 2))).real
    return np.repeat(np.clip(128 + 45 * soft / soft.std(), 0, 255)[..., None], 3, axis=2).astype(np.uint8)


@pytest.mark.parametrize("level", LEVELS)
def test_the_same_seed_gives_the_same_item(level):
    assert make(5, level, SOURCES) == make(5, level, SOURCES)
    assert make(5, level, SOURCES).pictures != make(6, level, SOURCES).pictures


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", [1, 2, 2**63 + 5])
def test_the_certificate_implies_the_answer(seed, level):
    item = make(seed, level, SOURCES)
    certificate = item.certificate
    options = offered(item)
    assert (certificate["seed"], certificate["level"], item.difficulty) == (seed, level, level)
    assert set(certificate) == set(Certificate.__struct_fields__)
    assert list(options.values()) == list(certificate["options"])
    assert [letter for letter, degrees in options.items() if degrees == certificate["turned"]] == [item.answer]
    assert (item.task, item.suffix, item.cluster) == ("rotation_game", ".jpg", certificate["photo"])
    assert shown(item).shape == (SIDE, SIDE, 3)
    assert item.prompt.endswith("\nAnswer with the letter of the right option.")


@pytest.mark.parametrize(("level", "step"), [(1, 15), (2, 15), (3, 10), (4, 5), (5, 5)])
def test_options_are_a_ladder_around_the_circle(level, step):
    wrapped = 0
    for seed in range(120):
        options = draw(seed, level, SOURCES.photos).options
        assert 0 not in options
        assert all(0 < degrees < 360 for degrees in options)
        apart = {
            min((one - other) % 360, (other - one) % 360) for one in options for other in options if one is not other
        }
        assert apart == {step * count for count in range(1, 6)}
        wrapped += max(options) - min(options) > 5 * step
    assert (wrapped > 0) == (step > 5)  # five degrees apart, options beyond 355° would start at 0°


@pytest.mark.parametrize("level", LEVELS)
def test_turning_it_clockwise_by_the_answer_and_by_no_other_option_restores_it(level):
    inside = np.hypot(*np.meshgrid(*[np.arange(SIDE) - SIDE / 2 + 0.5] * 2)) < SIDE / 2 - 4 * INSET
    for seed in range(4):
        item = make(seed, level, SOURCES)
        certificate = draw(seed, level, SOURCES.photos)
        before = np.asarray(upright(certificate, SOURCES.photos), dtype=float)
        off = {}
        for degrees in certificate.options:
            # Pillow turns counter-clockwise for positive angles.
            back = Image.fromarray(shown(item)).rotate(-degrees, Image.Resampling.BICUBIC)
            off[degrees] = np.abs(np.asarray(back, dtype=float) - before)[inside].mean()
        assert min(off, key=off.__getitem__) == certificate.turned
        assert sorted(off.values())[1] > 1.3 * off[certificate.turned]


def test_counter_clockwise_is_as_a_person_sees_it(tmp_path):
    """The sky of a photograph that is lighter upwards lies where a counter-clockwise turn takes it."""
    sources = own(tmp_path, lighter_upwards)
    steps = np.arange(SIDE) - SIDE / 2 + 0.5
    inside = np.hypot(steps[:, None], steps[None, :]) < SIDE / 2 - 4 * INSET
    for seed in range(12):
        item = make(seed, 1, sources)
        light = shown(item).mean(axis=2)
        light = (light - light[inside].mean()) * inside
        right, up = (light * steps[None, :]).sum(), -(light * steps[:, None]).sum()
        from_top = math.degrees(math.atan2(-right, up)) % 360  # counter-clockwise
        assert abs((from_top - item.certificate["turned"] + 180) % 360 - 180) < 3


def test_letters_and_places_on_the_ladder_are_spread_evenly():
    letters, places, means = collections.Counter(), collections.Counter(), []
    for seed in range(200):
        certificate = draw(seed, 3, SOURCES.photos)
        letters[certificate.options.index(certificate.turned)] += 1
        lowest = next(
            d for d in certificate.options if all((o - d) % 360 <= 5 * certificate.step for o in certificate.options)
        )
        places[(certificate.turned - lowest) % 360 // certificate.step] += 1
        means.append(certificate.turned)
    assert set(letters) == set(places) == set(range(6))
    assert max(*letters.values(), *places.values()) <= 55  # 33 expected
    assert 150 < np.mean(means) < 210


@pytest.mark.slow
def test_a_trace_of_the_making_would_show_where_there_is_no_upright(tmp_path):
    sources = own(tmp_path, without_upright, count=10)
    right = collections.Counter()
    for seed in range(30):
        item = make(seed, 3, sources)
        right["solve"] += solve([shown(item)], item.prompt) == item.answer
        right["glance"] += glance([shown(item)], item.prompt) == item.answer
    assert max(right.values()) <= 12  # 5 expected


def test_only_photographs_with_an_upright_are_used():
    for level, step in ((1, 15), (3, 10), (5, 5)):
        used = {draw(seed, level, SOURCES.photos).photo for seed in range(80)}
        assert used == {name for name, finest in FINEST_STEP.items() if finest <= step}


def test_a_users_photographs_are_all_used_whatever_their_names(tmp_path):
    sources = own(tmp_path, without_upright, count=2)
    (tmp_path / "0.png").rename(tmp_path / "gravel.jpg.png")
    sources = Sources(photos_in(tmp_path))
    assert {draw(seed, 5, sources.photos).photo for seed in range(20)} == {"1.png", "gravel.jpg.png"}


def plain(tone):
    return np.full((300, 420, 3), tone, np.uint8)


def hardly_lighter_upwards(_):
    return np.broadcast_to(np.linspace(150, 140, 300)[:, None, None], (300, 420, 3)).astype(np.uint8)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("look", [lambda _: plain(255), hardly_lighter_upwards], ids=["white", "sky"])
def test_a_photograph_that_shows_no_turn_is_refused(tmp_path, level, look):
    with pytest.raises(DataError, match=r"0\.png: each of 4 round parts .* so plain that a turn by \d+° hardly shows"):
        make(1, level, own(tmp_path, look))


def test_a_photograph_that_shows_no_turn_is_passed_over(tmp_path):
    sources = own(tmp_path, lambda number: plain(90) if number == 1 else without_upright(number), count=3)
    assert {draw(seed, 3, sources.photos).photo for seed in range(20)} == {"0.png", "2.png"}


def test_a_turn_by_one_step_shows_in_every_part():
    """Above all at level 5: one of the photographs is mostly sky, and contrast is halved."""
    inside = np.hypot(*np.meshgrid(*[np.arange(SIDE) - SIDE / 2 + 0.5] * 2)) < SIDE / 2 - 2 * INSET
    changes = []
    for seed in range(60):
        certificate = draw(seed, 5, SOURCES.photos)
        before = upright(certificate, SOURCES.photos)
        after = before.rotate(certificate.step, Image.Resampling.BICUBIC)
        changes.append(np.sqrt(((np.asarray(before, float) - np.asarray(after, float))[inside] ** 2).mean()))
    assert min(changes) >= LEAST_CHANGE


def test_a_turn_by_a_multiple_of_90_degrees_is_not_sharper_than_another(tmp_path):
    """In noise, which is as sharp as a photograph can be. Without the first turn the mean is -0.08."""
    noise = own(
        tmp_path, lambda number: np.random.default_rng(number).integers(0, 256, (400, 400, 3), dtype=np.uint8), count=4
    )

    def sharpness(certificate, turned):
        light = picture(msgspec.structs.replace(certificate, turned=turned), noise.photos)[100:300, 100:300].mean(
            axis=2
        )
        around = light[:-2, 1:-1] + light[2:, 1:-1] + light[1:-1, :-2] + light[1:-1, 2:]
        return ((4 * light[1:-1, 1:-1] - around) ** 2).mean()

    ratios = []
    for seed in range(32):
        certificate = draw(seed, 3, noise.photos)
        square, other = (90, 180, 270)[seed % 3], (45, 20, 325, 250)[seed % 4]
        ratios.append(math.log(sharpness(certificate, square) / sharpness(certificate, other)))
    assert abs(np.mean(ratios)) < 0.03


def test_no_photograph_with_an_upright():
    photos = type(SOURCES.photos)(tuple(p for p in SOURCES.photos.items if p.name not in FINEST_STEP))
    with pytest.raises(DataError, match="none of the photographs"):
        make(1, 3, Sources(photos))


def test_the_listed_photographs_are_shipped():
    assert all((SHIPPED / name).is_file() for name in FINEST_STEP)


@pytest.mark.parametrize("level", [0, 6, -1])
def test_other_levels_are_refused(level):
    with pytest.raises(UsageError, match=f"from 1 to 5, not {level}"):
        make(1, level, SOURCES)


def rates(level, seeds):
    items = [make(seed, level, SOURCES) for seed in seeds]
    return [
        np.mean([answer([shown(item)], item.prompt) == item.answer for item in items]) for answer in (solve, glance)
    ]


@pytest.mark.slow
def test_straight_lines_tell_far_more_than_chance():
    # Measured: 0.78 to 0.98 by level (nearly all that is missed is one photograph, a table seen askew). Chance is 1/6.
    assert min(rates(3, range(100, 120))) >= 0.45


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_straight_lines_tell_at_each_level(level):
    assert min(rates(level, range(1000, 1100))) >= 0.6


ASKED = "By how many degrees?\nA. 10°\nB. 20°\nC. 30°"


@pytest.mark.parametrize(
    ("pictures", "prompt"),
    [
        ([], ASKED),
        ([np.zeros((20, 300, 3), np.uint8)], ASKED),
        ([np.full((300, 300, 3), 90, np.uint8)], ASKED),
        ([np.asarray(lighter_upwards(0))], "Which way is up?"),
        ([np.asarray(lighter_upwards(0))], "A. " * 100_000),
    ],
    ids=["no picture", "small", "plain", "no options", "long"],
)
@pytest.mark.parametrize("answer", [solve, glance])
def test_nothing_to_go_by(answer, pictures, prompt):
    with pytest.raises(GaveUp):
        answer(pictures, prompt)


def test_pixels_are_left_as_they_are_and_any_shape_will_do():
    item = make(3, 3, SOURCES)
    pixels = np.pad(shown(item), ((0, 0), (0, 60), (0, 0)), mode="edge")
    before = pixels.copy()
    pixels.flags.writeable = False
    assert solve([pixels], item.prompt) in offered(item)
    assert glance([pixels[::2, ::2]], item.prompt) in offered(item)
    assert (pixels == before).all()
