"""The seven drawn posters that mean just what they show; some show what is often a metaphor elsewhere."""

from __future__ import annotations

from beholder.benchmarks.m3r.example_canvas import Canvas, Point


def visitors_chart() -> Canvas:
    """A bar chart of a museum's visitors in the four quarters of a year."""
    sheet = Canvas("#ffffff")
    sheet.text(320, 44, "MUSEUM VISITORS (THOUSANDS)", 24, "#22313f")
    for row in range(6):
        y = 400 - row * 56
        sheet.line([(90, y), (590, y)], 1.5, "#d6dde3")
        sheet.text(70, y, str(row * 10), 18, "#5a6b7a", face="DejaVuSans")
    with sheet.part("bars"):
        for place, visitors in enumerate((18, 31, 44, 25)):
            left = 128 + place * 116
            top = 400 - visitors * 5.6
            sheet.rect(left, top, left + 74, 400, "#2f7fb8")
            sheet.text(left + 37, top - 15, str(visitors), 20, "#22313f")
    with sheet.part("axis"):
        sheet.line([(90, 400), (590, 400)], 3, "#22313f")
        for place in range(4):
            sheet.text(165 + place * 116, 426, f"Q{place + 1}", 20, "#22313f")
    return sheet


def burning_house() -> Canvas:
    """A house at night with flames in its windows and roof, and a firefighter who plays water on it."""
    sheet = Canvas("#1b1f3a", "#4a2b3a")
    sheet.rect(0, 420, 640, 480, "#241c22")
    for x, y, radius in ((300, 90, 46), (350, 54, 54), (410, 30, 60), (470, 40, 50), (258, 120, 30)):
        sheet.disc(x, y, radius, (70, 66, 76, 190))
    with sheet.part("house"):
        sheet.rect(176, 236, 456, 424, "#8a6a55")
        sheet.shape([(148, 240), (316, 128), (484, 240)], "#5a3b32")
        sheet.rect(290, 334, 344, 424, "#3a241b")
        for x in (206, 378):
            sheet.rect(x, 272, x + 52, 322, "#ffb02e")
    with sheet.part("flames"):
        for x, y, size in ((232, 322, 1.0), (404, 322, 1.0), (260, 200, 1.0), (330, 168, 1.5), (396, 204, 1.1)):
            _flame(sheet, x, y, size)
    with sheet.part("water"):
        sheet.curve([(566, 404), (540, 330), (486, 268), (430, 260)], 9, "#9fd6f2")
        for x, y in ((426, 252), (414, 268), (436, 276)):
            sheet.disc(x, y, 6, "#d8f0fb")
    with sheet.part("firefighter"):
        sheet.rect(562, 372, 604, 430, "#c8a028", round_by=8)
        sheet.rect(562, 394, 604, 402, "#f4f1dc")
        sheet.line([(572, 430), (570, 462)], 14, "#39404a")
        sheet.line([(594, 430), (598, 462)], 14, "#39404a")
        sheet.disc(583, 356, 17, "#e3b08d")
        sheet.slice(583, 354, 22, 180, 360, "#c62828")
        sheet.rect(556, 350, 610, 357, "#c62828", round_by=3)
        sheet.line([(572, 384), (552, 398)], 11, "#c8a028")
    return sheet


def _flame(sheet: Canvas, x: float, y: float, size: float) -> None:
    """A flame that stands on (x, y)."""

    def tongue(scale: float) -> list[Point]:
        points = [(-26, 0), (-32, -30), (-12, -62), (-8, -40), (4, -96), (16, -52), (22, -66), (32, -26), (24, 0)]
        return [(x + right * size * scale, y + down * size * scale) for right, down in points]

    sheet.blob(tongue(1.0), "#f4511e")
    sheet.blob(tongue(0.68), "#ffb300")
    sheet.blob(tongue(0.36), "#fff3b0")


def egg_timer() -> Canvas:
    """A small hourglass with pink sand on a kitchen table, beside an egg in an egg cup and a price tag."""
    sheet = Canvas("#f5efe4", "#efe4cf")
    sheet.rect(0, 372, 640, 480, "#c99f6b")
    with sheet.part("hourglass"):
        sheet.shape([(172, 124), (288, 124), (240, 244), (220, 244)], "#dcecf1")
        sheet.shape([(220, 244), (240, 244), (288, 364), (172, 364)], "#dcecf1")
        sheet.shape([(198, 188), (262, 188), (240, 244), (220, 244)], "#ec8fa3")
        sheet.rect(228, 244, 232, 346, "#ec8fa3")
        sheet.shape([(176, 364), (284, 364), (262, 330), (230, 316), (198, 330)], "#ec8fa3")
        for top in (106, 362):
            sheet.rect(156, top, 304, top + 20, "#d9b07a", round_by=6)
        for left in (162, 288):
            sheet.rect(left, 126, left + 10, 362, "#e3c090")
    with sheet.part("egg"):
        sheet.blob([(424, 334), (402, 296), (408, 248), (436, 216), (464, 248), (470, 296), (448, 334)], "#f3c9a5")
        sheet.oval(422, 258, 7, 14, "#fbe4d0")
        sheet.shape([(394, 300), (478, 300), (460, 352), (412, 352)], "#6fa8c9")
        sheet.shape([(424, 350), (448, 350), (468, 386), (404, 386)], "#6fa8c9")
    with sheet.part("price tag"):
        sheet.line([(300, 132), (356, 108)], 2.5, "#7a6a55")
        sheet.shape([(356, 106), (378, 82), (500, 82), (500, 132), (378, 132)], "#ffffff")
        sheet.disc(376, 107, 5, "#c9bfae")
        sheet.text(440, 107, "3 min  $6", 19, "#333333")
    return sheet


def led_bulb() -> Canvas:
    """A light bulb beside its cardboard box, as in a shop's catalogue."""
    sheet = Canvas("#ffffff", "#eef2f4")
    sheet.oval(226, 424, 150, 14, "#d5dce0")
    with sheet.part("bulb"):
        sheet.disc(226, 176, 104, "#f7f7f2")
        sheet.shape([(134, 228), (318, 228), (280, 322), (172, 322)], "#aeb8bd")
        sheet.disc(226, 176, 108, "#aeb8bd")
        sheet.shape([(138, 226), (314, 226), (277, 322), (175, 322)], "#f6f3e6")
        sheet.disc(226, 176, 104, "#f6f3e6")
        sheet.oval(182, 136, 20, 32, "#ffffff")
        sheet.shape([(176, 318), (276, 318), (262, 366), (190, 366)], "#e4e8ea")
        for y in (370, 384, 398):
            sheet.rect(188, y, 264, y + 10, "#a7b0b6", round_by=5)
        sheet.shape([(200, 408), (252, 408), (238, 424), (214, 424)], "#5f686e")
    with sheet.part("box"):
        sheet.shape([(392, 150), (424, 124), (576, 124), (548, 150)], "#f5a742")
        sheet.shape([(548, 150), (576, 124), (576, 398), (548, 424)], "#c97a1c")
        sheet.rect(392, 150, 548, 424, "#ee9327")
        sheet.rect(410, 176, 530, 312, "#ffffff", round_by=8)
        sheet.disc(470, 226, 30, "#ffe27a")
        sheet.rect(458, 254, 482, 280, "#8d949c")
        sheet.text(470, 344, "LED 9 W", 26, "#ffffff")
        sheet.text(470, 386, "E27  3000 K", 18, "#ffffff", face="DejaVuSans")
    return sheet


def wet_floor() -> Canvas:
    """A yellow folding sign with a falling figure on a wet floor of tiles, beside a mop and a bucket."""
    sheet = Canvas("#dfe7ea")
    for x in range(-160, 800, 96):
        sheet.line([(320 + (x - 320) * 0.7, 300), (320 + (x - 320) * 1.6, 480)], 2, "#bccad0")
    for y in (300, 334, 384, 448):
        sheet.line([(0, y), (640, y)], 2, "#bccad0")
    sheet.rect(0, 0, 640, 298, "#f3f1ea")
    with sheet.part("puddle"):
        sheet.blob([(96, 432), (178, 402), (300, 414), (420, 404), (500, 434), (400, 462), (220, 462)], "#9fd0e6")
        sheet.curve([(160, 430), (250, 422), (330, 432)], 4, "#d7eef7")
    with sheet.part("sign"):
        sheet.shape([(236, 104), (322, 104), (404, 428), (374, 428)], "#d6a400")
        sheet.shape([(222, 104), (308, 104), (362, 436), (168, 436)], "#ffd21f")
        sheet.shape([(266, 134), (324, 246), (208, 246)], "#1f1f1f")
        sheet.shape([(266, 150), (312, 238), (220, 238)], "#ffd21f")
        sheet.rect(262, 176, 270, 214, "#1f1f1f")
        sheet.disc(266, 226, 5, "#1f1f1f")
        sheet.disc(244, 286, 13, "#1f1f1f")
        sheet.line([(256, 304), (284, 340)], 15, "#1f1f1f")
        sheet.line([(284, 340), (318, 322)], 11, "#1f1f1f")
        sheet.line([(284, 344), (316, 358)], 11, "#1f1f1f")
        sheet.line([(260, 308), (226, 320)], 8, "#1f1f1f")
        sheet.line([(264, 306), (296, 290)], 8, "#1f1f1f")
        sheet.line([(214, 386), (318, 386)], 5, "#1f1f1f")
    with sheet.part("mop and bucket"):
        sheet.line([(560, 60), (500, 380)], 9, "#a9753f")
        sheet.shape([(452, 324), (572, 324), (554, 420), (470, 420)], "#3c78b4")
        sheet.oval(512, 324, 60, 12, "#2b5a8a")
        for step in range(5):
            sheet.curve([(506, 330), (490 + step * 9, 316), (478 + step * 16, 328)], 8, "#f1efe6")
    return sheet


def dried_plant() -> Canvas:
    """A house plant in a white pot on a window sill: its leaves hang down, brown and dry, and some have fallen."""
    sheet = Canvas("#f0ece4", "#e3dccf")
    with sheet.part("window"):
        sheet.rect(364, 30, 610, 330, "#ffffff")
        sheet.rect(378, 44, 480, 316, "#bfe0f0")
        sheet.rect(494, 44, 596, 316, "#bfe0f0")
    sheet.rect(0, 388, 640, 430, "#cbb391")
    sheet.rect(0, 430, 640, 480, "#d9cbb5")
    with sheet.part("dry leaves"):
        for bend, high in ((-1, 150), (1, 136), (-0.55, 106), (0.6, 100), (0.12, 84)):
            top: Point = (250 + bend * 60, high)
            tip: Point = (250 + bend * 142, high + 138)
            sheet.curve([(250, 292), (250 + bend * 20, 200), top, (250 + bend * 110, high + 40), tip], 5, "#8f7440")
            x, y = tip
            sheet.blob([(x, y - 14), (x + 22, y + 16), (x + 10, y + 60), (x - 8, y + 74), (x - 20, y + 20)], "#a9843f")
            sheet.line([(x, y - 8), (x + 2, y + 60)], 2, "#6e5425")
    with sheet.part("pot"):
        sheet.oval(250, 296, 74, 14, "#7a6246")
        sheet.shape([(180, 300), (320, 300), (302, 392), (198, 392)], "#fafafa")
        sheet.rect(170, 290, 330, 312, "#ececec", round_by=6)
        for x in (226, 250, 276):
            sheet.line([(x - 12, 296), (x + 10, 300)], 2, "#4f3d28")
    with sheet.part("fallen leaves"):
        for x, turn in ((96, 1), (384, -1), (446, 1)):
            sheet.blob([(x - 34, 398), (x, 384 - 4 * turn), (x + 36, 400), (x + 2, 410)], "#9a7636")
            sheet.line([(x - 30, 398), (x + 32, 400)], 2, "#6e5425")
    return sheet


def birthday_cake() -> Canvas:
    """A birthday cake with eight burning candles, under bunting and beside balloons."""
    sheet = Canvas("#fff6e0", "#ffe3ea")
    with sheet.part("bunting"):
        sheet.curve([(-10, 20), (160, 58), (320, 66), (480, 58), (650, 20)], 3, "#8a7a90")
        for place, x in enumerate(range(40, 620, 62)):
            y = 66 - ((x - 320) / 320) ** 2 * 42
            colour = ("#ef5350", "#42a5f5", "#ffca28", "#66bb6a")[place % 4]
            sheet.shape([(x - 22, y), (x + 22, y), (x, y + 44)], colour)
    with sheet.part("balloons"):
        for x, y, colour in ((86, 206, "#ef5350"), (566, 190, "#42a5f5"), (600, 268, "#ffca28")):
            sheet.curve([(x, y + 48), (x + 8, y + 110), (x - 4, y + 180)], 2, "#8a7a90")
            sheet.oval(x, y, 38, 48, colour)
            sheet.shape([(x, y + 46), (x - 7, y + 58), (x + 7, y + 58)], colour)
            sheet.oval(x - 12, y - 18, 7, 12, (255, 255, 255, 130))
    with sheet.part("candles"):
        for place in range(8):
            x = 204 + place * 33
            sheet.rect(x - 5, 214, x + 5, 276, ("#42a5f5", "#ef5350", "#66bb6a", "#ab47bc")[place % 4])
            sheet.blob([(x, 184), (x + 8, 202), (x, 213), (x - 8, 202)], "#ffb300")
            sheet.disc(x, 205, 3, "#fff3b0")
    with sheet.part("cake"):
        sheet.oval(320, 432, 218, 24, "#d7dde2")
        sheet.rect(146, 282, 494, 430, "#f3c58f", round_by=14)
        sheet.rect(146, 348, 494, 364, "#fff5ee")
        sheet.rect(146, 268, 494, 306, "#f48fb1", round_by=14)
        for place in range(9):
            drip, drop = 166 + place * 38.5, 12 + (place * 7) % 18
            sheet.rect(drip - 11, 296, drip + 11, 308 + drop, "#f48fb1", round_by=11)
        for place in range(8):
            sheet.disc(176 + place * 41, 398, 8, ("#ef5350", "#ffca28", "#66bb6a")[place % 3])
    return sheet
