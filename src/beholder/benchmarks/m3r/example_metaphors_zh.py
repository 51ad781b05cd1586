"""The six posters with a Chinese text whose metaphor is in the picture: one thing drawn in the place of another."""

from __future__ import annotations

from beholder.benchmarks.m3r.example_canvas import Canvas, Point, around


def phone_leash() -> Canvas:
    """A telephone in front, from which a leash runs to the collar of a person who is led along behind it."""
    sheet = Canvas("#f4e9e4", "#dccbc6")
    sheet.rect(0, 404, 640, 480, "#b7a49c")
    with sheet.part("person"):
        sheet.disc(470, 138, 44, "#e3b08d")
        sheet.blob([(430, 142), (424, 104), (462, 82), (508, 96), (518, 140), (500, 118), (452, 112)], "#3a2a22")
        sheet.line([(478, 176), (484, 206)], 30, "#e3b08d")
        sheet.shape([(452, 204), (520, 200), (540, 306), (456, 308)], "#4b6e8f")
        sheet.line([(468, 224), (436, 268), (404, 274)], 18, "#44648a")
        sheet.disc(400, 274, 10, "#e3b08d")
        sheet.line([(478, 306), (452, 360), (462, 408)], 24, "#333c4c")
        sheet.line([(516, 306), (534, 356), (566, 396)], 24, "#2b3341")
        sheet.line([(462, 412), (436, 412)], 16, "#1d1d1f")
        sheet.line([(568, 402), (546, 414)], 16, "#1d1d1f")
    with sheet.part("collar"):
        sheet.line([(458, 198), (508, 192)], 13, "#c62828")
        sheet.disc(458, 206, 8, "#f2c230")
    with sheet.part("leash"):
        sheet.curve([(452, 208), (386, 236), (300, 244), (222, 212)], 7, "#c62828")
        sheet.ring(214, 210, 20, 7, "#c62828")
    with sheet.part("phone"):
        sheet.rect(76, 96, 208, 352, "#1c1f26", round_by=18)
        sheet.rect(86, 118, 198, 324, "#5aa9e6", round_by=4)
        sheet.rect(122, 105, 162, 110, "#4a4f5a", round_by=2)
        sheet.disc(142, 338, 8, "#4a4f5a")
        for row in range(3):
            for column in range(3):
                colour = ("#ffcf56", "#ff7f6b", "#8fe388")[(row + column) % 3]
                x, y = 96 + column * 34, 134 + row * 38
                sheet.rect(x, y, x + 24, y + 24, colour, round_by=5)
        sheet.disc(196, 120, 17, "#e53935")
        sheet.text(196, 120, "9", 20, "#ffffff")
        sheet.line([(118, 352), (92, 400), (66, 400)], 13, "#1c1f26")
        sheet.line([(168, 352), (192, 400), (166, 400)], 13, "#1c1f26")
    return sheet


def wallet_tap() -> Canvas:
    """A wallet full of banknotes with a dripping tap at its side; what drips and makes the puddle is coins."""
    sheet = Canvas("#e6f0ee", "#c9dcd9")
    with sheet.part("wallet"):
        for left, top, colour in ((92, 96, "#7fb77e"), (112, 116, "#94c993"), (132, 136, "#7fb77e")):
            sheet.rect(left, top, left + 190, top + 90, colour)
            sheet.ring(left + 95, top + 30, 16, 3, "#4d7f4c")
        sheet.rect(64, 168, 376, 366, "#6b3e26", round_by=20)
        sheet.rect(64, 168, 376, 206, "#7d4b30", round_by=16)
        for x in range(82, 364, 18):
            sheet.line([(x, 350), (x + 8, 350)], 2, "#d8b08c")
            sheet.line([(x, 216), (x + 8, 216)], 2, "#d8b08c")
        sheet.rect(300, 240, 376, 296, "#84522f", round_by=14)
        sheet.disc(324, 268, 11, "#e6c35c")
    with sheet.part("tap"):
        sheet.rect(370, 256, 386, 304, "#7f8b93", round_by=3)
        sheet.rect(384, 264, 486, 296, "#a9b6be")
        sheet.shape([(486, 264), (524, 282), (532, 318), (532, 344), (496, 344), (496, 318), (476, 296)], "#a9b6be")
        sheet.rect(490, 338, 538, 350, "#7f8b93", round_by=3)
        sheet.rect(430, 226, 446, 266, "#8d99a1")
        sheet.rect(396, 212, 480, 230, "#c84b3c", round_by=9)
    with sheet.part("dripping coins"):
        for y in (368, 398):
            sheet.shape([(508, y), (514, y - 12), (520, y)], "#f0c63c")
            _coin(sheet, 514, y + 4, 10)
        sheet.oval(500, 452, 112, 20, "#d9a928")
        for x, y in ((424, 446), (458, 456), (500, 448), (542, 458), (578, 446), (500, 464)):
            sheet.oval(x, y, 24, 9, "#f0c63c")
            sheet.oval(x, y, 17, 6, "#d9a928")
    return sheet


def _coin(sheet: Canvas, x: float, y: float, radius: float) -> None:
    sheet.disc(x, y, radius, "#f0c63c")
    sheet.ring(x, y, radius * 0.72, 1.5, "#b98a12")


def book_boat() -> Canvas:
    """An open book that sails on the sea: its cover is the hull, and a page on the mast the sail."""
    sheet = Canvas("#bfe3f2", "#fbe9c8")
    with sheet.part("sun"):
        sheet.disc(528, 92, 42, "#ffcf4d")
    for x, y in ((120, 84), (178, 112)):
        sheet.curve([(x - 22, y - 8), (x - 8, y - 12), (x, y), (x + 8, y - 12), (x + 22, y - 8)], 3, "#4a5a66")
    with sheet.part("sail"):
        sheet.line([(320, 70), (320, 306)], 8, "#7a4f2a")
        sheet.blob([(330, 84), (420, 150), (466, 262), (400, 276), (330, 272), (338, 180)], "#fffdf4")
        for row in range(7):
            y = 132 + row * 20
            sheet.line([(348, y), (374 + row * 11, y)], 3, "#9aa0a6")
        sheet.shape([(320, 70), (320, 96), (276, 84)], "#d84b3e")
    with sheet.part("book"):
        sheet.blob([(320, 316), (238, 282), (138, 290), (104, 306), (150, 350), (320, 384)], "#fdf5df")
        sheet.blob([(320, 316), (402, 282), (502, 290), (536, 306), (490, 350), (320, 384)], "#f6ebcd")
        for step in range(4):
            y = 306 + step * 12
            sheet.curve([(142 + step * 10, y), (226, y - 8), (308, y + 18)], 2, "#b0a68c")
            sheet.curve([(498 - step * 10, y), (414, y - 8), (332, y + 18)], 2, "#b0a68c")
        sheet.shape(
            [
                (92, 308),
                (110, 304),
                (168, 356),
                (320, 392),
                (472, 356),
                (530, 304),
                (548, 308),
                (478, 400),
                (320, 424),
                (162, 400),
            ],
            "#b3392f",
        )
        sheet.line([(320, 314), (320, 424)], 5, "#8c2a22")
    with sheet.part("sea"):
        for row, colour in enumerate(("#3d8fb8", "#2f7ba3", "#23678c")):
            top = 398 + row * 26
            crest: list[Point] = [(x, top - (8 if (x // 32 + row) % 2 else -4)) for x in range(-32, 700, 32)]
            sheet.blob([*crest, (700, 520), (-60, 520)], colour)
    return sheet


def lung_tree() -> Canvas:
    """A tree in a street of houses: its trunk forks like a windpipe, and its two crowns have the shape of lungs."""
    sheet = Canvas("#dff1fb", "#f6fbf3")
    for left, top, width, colour in (
        (0, 250, 90, "#b9c2cc"),
        (84, 196, 66, "#c7ced6"),
        (500, 214, 70, "#c7ced6"),
        (560, 266, 90, "#b9c2cc"),
    ):
        sheet.rect(left, top, left + width, 420, colour)
        for x in range(left + 12, left + width - 14, 22):
            for y in range(top + 16, 396, 30):
                sheet.rect(x, y, x + 11, y + 15, "#e9f0f5")
    sheet.rect(0, 412, 640, 480, "#8fbf6a")
    with sheet.part("crowns"):
        sheet.blob(
            [
                (298, 118),
                (262, 70),
                (212, 92),
                (170, 168),
                (140, 268),
                (152, 336),
                (206, 338),
                (268, 308),
                (298, 268),
                (286, 196),
            ],
            "#3f9a4a",
        )
        sheet.blob(
            [
                (342, 118),
                (378, 70),
                (428, 92),
                (470, 168),
                (500, 268),
                (488, 336),
                (434, 338),
                (372, 308),
                (342, 268),
                (354, 196),
            ],
            "#3f9a4a",
        )
        for x, y in ((230, 130), (196, 200), (178, 282), (232, 290), (256, 220), (262, 110), (214, 316)):
            sheet.disc(x, y, 11, "#59b85f")
            sheet.disc(640 - x, y, 11, "#59b85f")
    with sheet.part("trunk"):
        sheet.line([(320, 60), (320, 430)], 22, "#7a5230")
        for y in range(66, 190, 14):
            sheet.line([(310, y), (330, y)], 3, "#a77b4f")
        for side in (-1, 1):
            sheet.curve([(320, 188), (320 + side * 34, 210), (320 + side * 84, 226)], 13, "#7a5230")
            sheet.curve([(320 + side * 62, 218), (320 + side * 92, 190), (320 + side * 112, 160)], 7, "#7a5230")
            sheet.curve([(320 + side * 78, 224), (320 + side * 116, 252), (320 + side * 132, 286)], 7, "#7a5230")
            sheet.curve([(320 + side * 84, 226), (320 + side * 120, 222), (320 + side * 146, 232)], 6, "#7a5230")
            sheet.line([(320, 414), (320 + side * 30, 436)], 12, "#7a5230")
    return sheet


def bottle_fish() -> Canvas:
    """Plastic bottles that swim in the sea like a shoal: each has fins, a tail and an eye."""
    sheet = Canvas("#6cc5dd", "#0f5f86")
    with sheet.part("sea weed"):
        for x in (40, 66, 574, 604):
            sheet.curve([(x, 480), (x - 14, 440), (x + 12, 404), (x - 6, 360)], 10, "#2f8f63")
    with sheet.part("large bottle fish"):
        _bottle_fish(sheet, 330, 236, 1.5)
    with sheet.part("upper bottle fish"):
        _bottle_fish(sheet, 190, 92, 0.62)
    with sheet.part("lower bottle fish"):
        _bottle_fish(sheet, 470, 404, 0.7)
    for x, y, radius in ((92, 206, 10), (74, 176, 7), (98, 148, 5), (352, 366, 7), (342, 340, 5)):
        sheet.ring(x, y, radius, 2, "#e3f6fb")
    return sheet


def _bottle_fish(sheet: Canvas, x: float, y: float, size: float) -> None:
    """It swims to the left: the cap is its mouth, and a fish's tail grows from the bottle's bottom."""

    def at(right: float, down: float) -> Point:
        return x + right * size, y + down * size

    sheet.blob([at(104, 0), at(164, -46), at(150, 0), at(164, 46)], "#ff9248")
    sheet.blob([at(-10, -34), at(26, -74), at(56, -70), at(50, -34)], "#ff9248")
    sheet.blob([at(-6, 34), at(26, 66), at(46, 60), at(34, 34)], "#ff9248")
    sheet.blob(
        [
            at(-84, -13),
            at(-46, -38),
            at(40, -42),
            at(104, -36),
            at(116, 0),
            at(104, 36),
            at(40, 42),
            at(-46, 38),
            at(-84, 13),
        ],
        "#d8f1f8",
    )
    sheet.blob([at(-70, -16), at(-40, -28), at(30, -34), at(96, -30), at(30, -26), at(-40, -20)], "#ffffff")
    sheet.shape([at(-8, -41), at(62, -40), at(62, 40), at(-8, 41)], "#e0455e")
    sheet.shape([at(-8, -8), at(62, -8), at(62, 12), at(-8, 12)], "#ffffff")
    for right in (76, 88, 100):
        sheet.line([at(right, -32), at(right, 32)], 2 * size, "#9fcfde")
    sheet.shape([at(-104, -15), at(-84, -15), at(-84, 15), at(-104, 15)], "#d8f1f8")
    sheet.shape([at(-120, -19), at(-102, -19), at(-102, 19), at(-120, 19)], "#2357a6")
    for down in (-10, 0, 10):
        sheet.line([at(-118, down), at(-104, down)], 2 * size, "#6f97d6")
    sheet.disc(*at(-52, -8), 11 * size, "#ffffff")
    sheet.disc(*at(-55, -8), 6 * size, "#1b1b1b")


def clock_cake() -> Canvas:
    """A round cake on a plate that is a clock's face; one slice of three hours has been cut and drawn out."""
    sheet = Canvas("#f7eef2", "#ecd8de")
    with sheet.part("plate"):
        sheet.disc(300, 248, 214, "#ffffff")
        sheet.ring(300, 248, 204, 3, "#c9b7bd")
    with sheet.part("clock cake"):
        sheet.slice(300, 256, 176, 0, 270, "#a8642f")
        sheet.slice(300, 246, 176, 0, 270, "#fbe3c6")
        for degrees in range(0, 271, 15):
            sheet.disc(*around(300, 246, 166, degrees), 9, "#f48fb1")
        sheet.shape([(300, 246), (476, 246), (476, 256), (300, 256)], "#8c4f22")
        for hour in (3, 4, 5, 6, 7, 8, 9, 10, 11, 12):
            angle = 30 * hour - 90
            if hour not in (3, 12):
                sheet.text(*around(300, 246, 134, angle), str(hour), 28, "#5a2e17")
        sheet.line([(300, 246), around(300, 246, 82, 120)], 9, "#3a1d10")
        sheet.line([(300, 246), around(300, 246, 112, 210)], 6, "#3a1d10")
        sheet.disc(300, 246, 10, "#c62828")
    with sheet.part("slice"):
        sheet.slice(356, 200, 176, 270, 360, "#a8642f")
        sheet.slice(356, 190, 176, 270, 360, "#fbe3c6")
        for degrees in range(276, 360, 14):
            sheet.disc(*around(356, 190, 166, degrees), 9, "#f48fb1")
        for hour in (1, 2):
            sheet.text(*around(356, 190, 130, 30 * hour - 90), str(hour), 28, "#5a2e17")
    with sheet.part("knife"):
        sheet.shape([(548, 250), (572, 250), (572, 396), (556, 410)], "#cfd6db")
        sheet.rect(546, 170, 574, 254, "#5b3a29", round_by=9)
    return sheet
