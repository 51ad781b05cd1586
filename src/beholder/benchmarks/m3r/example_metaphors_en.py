"""The six posters with an English text whose metaphor is in the picture: one thing drawn in the place of another."""

from __future__ import annotations

from beholder.benchmarks.m3r.example_canvas import Canvas, around


def cigarette_bomb() -> Canvas:
    """A round bomb; where its fuse should be there is a lit cigarette."""
    sheet = Canvas("#f3e3c3", "#d9a86a")
    sheet.oval(300, 436, 190, 18, (60, 40, 20, 90))
    with sheet.part("bomb"):
        sheet.disc(290, 300, 142, "#1d1f24")
        sheet.shape([(318, 182), (372, 128), (424, 180), (370, 234)], "#1d1f24")
        sheet.oval(240, 240, 40, 26, "#5b606b")
        sheet.disc(212, 292, 10, "#454a54")
    with sheet.part("cigarette"):
        sheet.shape([(392, 176), (372, 156), (408, 120), (428, 140)], "#c9803a")
        sheet.shape([(428, 140), (408, 120), (462, 66), (482, 86)], "#fbfbf7")
        sheet.line([(411, 123), (425, 137)], 2, "#e4b25f")
        sheet.shape([(482, 86), (462, 66), (476, 52), (496, 72)], "#77736f")
        for degrees in range(0, 360, 30):
            sheet.line([around(488, 60, 20, degrees), around(488, 60, 36, degrees)], 4, "#e8541e")
        sheet.disc(488, 60, 18, "#ff7a1a")
        sheet.disc(488, 60, 10, "#ffe27a")
    with sheet.part("smoke"):
        sheet.curve([(516, 34), (544, 40), (556, 22), (588, 30), (600, 6)], 9, "#fdf8ee")
        sheet.curve([(528, 58), (556, 66), (574, 50), (604, 58), (624, 36)], 7, "#f8efdf")
    return sheet


def iceberg_debt() -> Canvas:
    """An iceberg: its small tip above the water wears the price tag, the huge rest is marked with what else is owed."""
    sheet = Canvas("#cfe9f7", "#cfe9f7")
    sheet.rect(0, 168, 640, 480, "#1f6f9f")
    sheet.rect(0, 300, 640, 480, "#175a86")
    sheet.rect(0, 400, 640, 480, "#0f4569")
    with sheet.part("under water"):
        sheet.shape(
            [
                (170, 168),
                (110, 232),
                (150, 330),
                (214, 388),
                (300, 458),
                (372, 420),
                (470, 352),
                (532, 256),
                (468, 168),
            ],
            "#8fc6df",
        )
        sheet.shape([(170, 168), (236, 260), (300, 458), (214, 388), (150, 330), (110, 232)], "#74b2d0")
        for y, said in ((218, "INTEREST"), (272, "FEES"), (326, "PENALTIES"), (376, "YEARS")):
            sheet.text(334, y, said, 30, "#0c3a58")
    with sheet.part("tip"):
        sheet.shape([(236, 168), (280, 96), (316, 56), (352, 108), (402, 168)], "#ffffff")
        sheet.shape([(236, 168), (280, 96), (316, 56), (306, 168)], "#dcecf4")
    with sheet.part("price tag"):
        sheet.line([(346, 98), (404, 78)], 3, "#7a4a1e")
        sheet.shape([(404, 78), (428, 52), (566, 52), (566, 104), (428, 104)], "#f6c945")
        sheet.disc(424, 78, 6, "#fffbe8")
        sheet.text(500, 78, "$20 / MONTH", 17, "#5a3a00")
    for x in range(-20, 660, 40):
        sheet.curve([(x, 168), (x + 10, 163), (x + 20, 168), (x + 30, 173), (x + 40, 168)], 4, "#eaf6fc")
    return sheet


def bulb_plant() -> Canvas:
    """A light bulb that grows, shining, on a stem with leaves out of a flower pot."""
    sheet = Canvas("#fdf6dc", "#f2e2a9")
    sheet.rect(0, 418, 640, 480, "#b98b5a")
    with sheet.part("stem"):
        sheet.curve([(320, 350), (318, 310), (322, 270), (320, 228)], 9, "#3f8f3a")
        sheet.blob([(320, 312), (356, 272), (420, 262), (396, 306)], "#4ea945")
        sheet.line([(324, 310), (404, 270)], 2, "#2f6f2c")
        sheet.blob([(320, 290), (286, 248), (222, 240), (246, 286)], "#57b54d")
        sheet.line([(316, 288), (238, 248)], 2, "#2f6f2c")
    with sheet.part("bulb"):
        for degrees in range(-200, 21, 22):
            sheet.line([around(320, 112, 92, degrees), around(320, 112, 116, degrees)], 6, "#f2a900")
        sheet.disc(320, 112, 74, "#ffe566")
        sheet.shape([(264, 156), (376, 156), (346, 204), (294, 204)], "#ffe566")
        sheet.curve([(302, 200), (296, 140), (308, 112), (320, 138), (332, 112), (344, 140), (338, 200)], 4, "#d98200")
        sheet.oval(292, 84, 14, 20, "#fff7c4")
        for y in (206, 217, 228):
            sheet.rect(292, y - 5, 348, y + 4, "#8d949c", round_by=4)
        sheet.shape([(302, 232), (338, 232), (328, 244), (312, 244)], "#5d646b")
    with sheet.part("pot"):
        sheet.oval(320, 352, 84, 14, "#5a3c22")
        sheet.shape([(240, 372), (400, 372), (378, 446), (262, 446)], "#c65d33")
        sheet.rect(228, 350, 412, 376, "#d96f42", round_by=5)
    return sheet


def hourglass_forest() -> Canvas:
    """An hourglass: a forest in the upper bulb, desert sand in the lower one, and trees running out between."""
    sheet = Canvas("#eef3ec", "#dfe3d6")
    glass = "#cfe3ea"
    upper = [(206, 66), (434, 66), (430, 130), (392, 190), (330, 236), (310, 236), (248, 190), (210, 130)]
    lower = [(310, 244), (330, 244), (392, 290), (430, 350), (434, 414), (206, 414), (210, 350), (248, 290)]
    sheet.shape(upper, glass)
    sheet.shape(lower, glass)
    with sheet.part("forest"):
        sheet.shape([(228, 158), (412, 158), (386, 190), (330, 234), (310, 234), (254, 190)], "#5d7f3c")
        for x, y, size in ((250, 158, 34), (292, 162, 44), (338, 160, 48), (382, 158, 36), (316, 176, 34)):
            _fir(sheet, x, y, size)
    with sheet.part("falling sand"):
        sheet.rect(317, 234, 323, 344, "#d9a441")
    with sheet.part("desert"):
        sheet.blob([(208, 410), (250, 380), (318, 340), (388, 382), (432, 410), (320, 414)], "#e3b55a")
        sheet.curve([(256, 396), (300, 380), (350, 392), (396, 398)], 3, "#c48f35")
        sheet.line([(282, 398), (282, 366)], 7, "#8a8a55")
        sheet.line([(282, 384), (270, 384), (270, 374)], 5, "#8a8a55")
        sheet.line([(366, 400), (366, 384)], 5, "#7b5a33")
        sheet.oval(366, 384, 9, 3, "#a57b4a")
    with sheet.part("hourglass"):
        for points in (upper, lower):
            sheet.line([*points, points[0]], 4, "#7fa3b0")
        for y in (40, 414):
            sheet.rect(178, y, 462, y + 28, "#7a4a25", round_by=8)
            sheet.rect(178, y + 4, 462, y + 11, "#9c6636")
        for x in (188, 440):
            sheet.rect(x, 66, x + 12, 416, "#8a552b")
    return sheet


def _fir(sheet: Canvas, x: float, y: float, size: float) -> None:
    sheet.rect(x - size * 0.08, y - size * 0.2, x + size * 0.08, y + size * 0.12, "#6b4423")
    for step in range(3):
        foot = y - size * (0.1 + 0.42 * step)
        half = size * (0.42 - 0.09 * step)
        sheet.shape([(x - half, foot), (x + half, foot), (x, foot - size * 0.72)], "#1f6b35" if step % 2 else "#277a3f")


def book_city() -> Canvas:
    """A skyline at night whose houses are upright books with lit windows."""
    sheet = Canvas("#14204a", "#3a3f7d")
    for x, y in ((60, 50), (150, 90), (240, 40), (330, 80), (430, 46), (596, 110), (390, 120), (100, 140)):
        sheet.disc(x, y, 2, "#fff4c2")
    with sheet.part("moon"):
        sheet.blob([(556, 40), (578, 66), (560, 100), (522, 96), (550, 84), (560, 62)], "#fff1b8")
    with sheet.part("books"):
        rows = [
            (30, 96, 190, "#b23a48", "POEMS"),
            (128, 78, 262, "#2f7f86", "ATLAS"),
            (208, 110, 322, "#d98e32", "NOVELS"),
            (320, 84, 236, "#6a4c93", "HISTORY"),
            (406, 96, 290, "#3f8f4f", "SCIENCE"),
            (504, 104, 206, "#c2543d", "FABLES"),
        ]
        for left, width, high, colour, title in rows:
            _book_house(sheet, left, 430 - high, left + width, colour, title)
    with sheet.part("street"):
        sheet.rect(0, 430, 640, 480, "#20243d")
        for x in range(10, 640, 70):
            sheet.rect(x, 452, x + 36, 457, "#e8d27a")
    return sheet


def _book_house(sheet: Canvas, left: float, top: float, right: float, colour: str, title: str) -> None:
    """A standing book with its pages seen from above, a title on its spine, and windows below."""
    middle = (left + right) / 2
    sheet.shape([(left, top), (left + 12, top - 18), (right + 4, top - 18), (right, top)], "#f4ecd6")
    for page in range(1, 4):
        sheet.line([(left + 3 * page, top - 4.5 * page), (right + page, top - 4.5 * page)], 1, "#c9bc98")
    sheet.rect(left, top, right, 430, colour)
    sheet.rect(left, top, left + 8, 430, (0, 0, 0, 60))
    for y in (top + 10, top + 44):
        sheet.rect(left + 8, y, right, y + 4, "#f0d48a")
    sheet.text(middle + 4, top + 29, title, 13 if len(title) > 6 else 15, "#fff6da", face="DejaVuSerif")
    columns = 3 if right - left > 90 else 2
    step = (right - left - 16) / columns
    rows = int((430 - top - 100) // 34)
    for row in range(rows):
        for column in range(columns):
            lit = (row * 5 + column * 3 + int(left)) % 4
            x, y = left + 12 + column * step + step / 2, top + 66 + row * 34
            sheet.rect(x - 8, y, x + 8, y + 20, "#ffe08a" if lit else "#273055")
    sheet.rect(middle - 4, 396, middle + 16, 430, "#2a1c14")


def head_machine() -> Canvas:
    """The outline of a head in profile; in the place of the brain there are gear wheels."""
    sheet = Canvas("#e9edf2", "#d3dae3")
    with sheet.part("head"):
        sheet.blob(
            [
                (250, 470), (244, 392), (196, 340), (158, 262), (164, 160), (232, 72), (340, 44), (436, 74), (482, 152),
                (484, 214), (522, 288), (494, 304), (500, 330), (484, 344), (488, 366), (466, 396), (404, 398),
                (400, 470),
            ],
            "#33475b",
        )  # fmt: skip
        sheet.rect(250, 440, 400, 480, "#33475b")
    with sheet.part("gears"):
        _gear(sheet, 266, 170, 66, 12, "#e0a030")
        _gear(sheet, 366, 144, 48, 10, "#d9d4c7")
        _gear(sheet, 338, 234, 40, 9, "#c96f4a")
        _gear(sheet, 268, 262, 34, 8, "#8fb7c9")
    sheet.line([(40, 452), (210, 452)], 4, "#8796a5")
    sheet.line([(440, 452), (600, 452)], 4, "#8796a5")
    return sheet


def _gear(sheet: Canvas, x: float, y: float, radius: float, teeth: int, fill: str) -> None:
    each = 360 / teeth
    for tooth in range(teeth):
        middle = tooth * each
        inner = radius * 0.8
        sheet.shape(
            [
                around(x, y, inner, middle - each * 0.3),
                around(x, y, radius, middle - each * 0.18),
                around(x, y, radius, middle + each * 0.18),
                around(x, y, inner, middle + each * 0.3),
            ],
            fill,
        )
    sheet.disc(x, y, radius * 0.84, fill)
    sheet.disc(x, y, radius * 0.5, "#33475b")
    sheet.disc(x, y, radius * 0.36, fill)
    sheet.disc(x, y, radius * 0.16, "#33475b")
