"""Responses to questions without options, with the answer that a person takes (None: none, and the outcome)."""

from __future__ import annotations

COUNT = "How many vehicles are in the picture?"
PRICE = "What does the noodle soup cost in this shop? Answer with an integer (yen)."
GAUGE = "What does the second gauge from the left read in kg/cm²? Give one decimal place (e.g., 1.1)."
THERMOMETER = "What does the thermometer read in Fahrenheit? Answer as an integer like 1,2,3."
SPEED = "What speed does the dial show in km/h?"
HUMIDITY = "What percentage does the hygrometer show?"
MEASURE = "How long is the pencil?"
COUNT_CHINESE = "图中有多少辆车？"

DIGIT = "How many times does the digit 6 appear in the figure?"
NUMBER = "How many times does the number 36 appear in the grid?"
SEVENS = "How many 7s are there in the grid?"
DIGIT_CHINESE = "数字6在图中出现了多少次？"
PRESSURE_CHINESE = "压力表的读数是多少千帕？保留一位小数。"
SHOWN = "How many patches differ? Answer with a number."
# id, prompt, response, number as the authors' extractor would write it
NUMBERS: list[tuple[str, str, str, str | None]] = [
    ("T11", COUNT, "The total is 42 units", "42"),
    ("T97-float", COUNT, "5.0", "5"),
    ("T97-dollar", PRICE, "$5", "5"),
    ("T97-unit", COUNT, "5 apples", "5"),
    ("T97-ratio", MEASURE, "10/2", "5"),
    ("T97-or", COUNT, "1 or 5", None),
    ("T97-colon", COUNT, "2024: 5", None),
    ("T97-out-of", COUNT, "5 out of 6", "5"),
    ("T97-out-of-no-count", MEASURE, "5 out of 6", None),
    ("T97-word", COUNT, "five", "5"),
    ("T58", COUNT, "\\boxed{5^{5^{5^{5^5}}}}", None),
    ("bare", COUNT, "4", "4"),
    ("sentence", COUNT, "The picture shows four vehicles parked.", "4"),
    ("bold", PRICE, "The noodle soup costs **970 yen** in this shop.", "970"),
    ("yen-sign", PRICE, "¥970", "970"),
    ("yen-japanese", PRICE, "970円", "970"),
    ("thousands", PRICE, "1,280 yen", "1280"),
    ("tag", COUNT, "<answer>4</answer>", "4"),
    ("boxed", COUNT, "$\\boxed{4}$", "4"),
    ("json", COUNT, '{"answer": 4}', "4"),
    ("json-fence", COUNT, '```json\n{"count": 4}\n```', "4"),
    ("think", COUNT, "<think>3? No, 5.</think>4", "4"),
    ("answer-line", COUNT, "Two on the left, two on the right.\n\nAnswer: 4", "4"),
    ("last-line", COUNT, "Two on the left, two on the right.\n\n4", "4"),
    ("total", COUNT, "I see 3 cars and 1 bus, for a total of 4.", "4"),
    ("list", COUNT, "1. a red car\n2. a blue car\n3. a van\n\nThere are 3 vehicles.", "3"),
    ("parts", COUNT, "There are 4 vehicles in the picture: 2 cars, 1 truck and 1 bus.", "4"),
    ("parts-words", COUNT, "I can see four vehicles: two cars, one truck, and one bus.", "4"),
    ("parts-brackets", COUNT, "The picture holds 4 vehicles (2 cars and 2 trucks).", "4"),
    ("parts-other-sum", COUNT, "There are 4 vehicles: 2 cars and 1 truck.", None),
    ("parts-no-total", COUNT, "There are 2 cars, 1 truck and 1 bus.", None),
    ("none", COUNT, "There are no vehicles in the picture.", "0"),
    ("of-them", COUNT, "There are 4 of them.", "4"),
    ("more-than", COUNT, "more than 4", None),
    ("range", COUNT, "3-5", None),
    ("unknown", COUNT, "unknown", None),
    ("percent", COUNT, "5%", None),
    ("empty", COUNT, "", None),
    ("wait", COUNT, "Answer: 4\nWait, let me recount. There are 5.", "5"),
    ("two", COUNT, "Answer: 4\nAnswer: 5", None),
    ("gauge", GAUGE, "The needle is slightly past the 11 mark.\n\nThe reading is **11.1** kg/cm².", "11.1"),
    ("gauge-bare", GAUGE, "11.1", "11.1"),
    ("gauge-unit", GAUGE, "11.1 kg/cm²", "11.1"),
    ("gauge-power", GAUGE, "The second gauge reads 11.1 kg/cm^2.", "11.1"),
    ("gauge-latex", GAUGE, "$11.1\\ \\text{kg/cm}^2$", "11.1"),
    ("gauge-zero", GAUGE, "2.50", "2.5"),
    ("gauge-fraction", GAUGE, "5/2", "2.5"),
    ("gauge-comma", GAUGE, "2,5", None),
    ("gauge-between", GAUGE, "The needle points between 11 and 12. Reading ≈ 11.1 kg/cm²", "11.1"),
    ("gauge-is", GAUGE, "The marks are 11 and 12. The reading of the gauge is 11.1.", "11.1"),
    ("gauge-two", GAUGE, "The reading is 11.1 or 11.2.", None),
    ("gauge-range", GAUGE, "The needle points between 11 and 12.", None),
    ("gauge-chinese", GAUGE, "指针在11和12之间，读数约为11.1。", "11.1"),
    ("gauge-about", GAUGE, "approximately 11.1 kg/cm²", "11.1"),
    ("fahrenheit", THERMOMETER, "72", "72"),
    ("fahrenheit-unit", THERMOMETER, "72°F", "72"),
    ("fahrenheit-both", THERMOMETER, "The thermometer reads 72°F (22°C).", "72"),
    ("fahrenheit-both-turned", THERMOMETER, "It shows 22 °C, which is 72 °F.", "72"),
    ("fahrenheit-words", THERMOMETER, "about 72 degrees Fahrenheit", "72"),
    ("fahrenheit-minus", THERMOMETER, "-4°F", "-4"),
    ("celsius-only", THERMOMETER, "22°C", "22"),
    ("speed-both", SPEED, "60 mph (about 100 km/h)", "100"),
    ("humidity", HUMIDITY, "45%", "45"),
    ("humidity-bare", HUMIDITY, "45", "45"),
    ("humidity-word", HUMIDITY, "It shows about 45 percent.", "45"),
    ("length", MEASURE, "The pencil is 12.5 cm long.", "12.5"),
    ("length-range", MEASURE, "between 12 and 13 cm", None),
    ("chinese", COUNT_CHINESE, "图中有四辆车。", "4"),
    ("chinese-answer", COUNT_CHINESE, "答案：4", "4"),
    ("chinese-total", COUNT_CHINESE, "左边3辆，右边2辆，一共5辆。", "5"),
    ("chinese-bold", COUNT_CHINESE, "一共有 **5** 辆车。", "5"),
    ("chinese-unknown", COUNT_CHINESE, "无法确定", None),
    ("times-1", DIGIT, "The digit 6 appears 7 times.", "7"),
    ("times-2", NUMBER, "36 appears 4 times.", "4"),
    ("times-3", NUMBER, "The number 36 appears 4 times in the grid.", "4"),
    ("times-4", DIGIT_CHINESE, "数字6出现了4次。", "4"),
    ("times-5", DIGIT, "The digit 6 appears seven times in the figure.", "7"),
    ("times-6", DIGIT, "6", "6"),
    ("times-7", DIGIT, "There are 6 of them.", "6"),
    ("times-8", DIGIT, "The digit 6 appears 6 times.", "6"),
    ("times-9", DIGIT, "The digit 6 does not appear.", None),
    ("times-10", DIGIT, "The digit 6 appears twice.", "2"),
    ("times-11", DIGIT, "It appears 7 times in the 10x10 grid.", "7"),
    ("times-12", DIGIT, "6 appears 3 times in row 1 and 2 in row 4.", None),
    ("times-13", DIGIT, "6 appears 2 times in row 1 and 3 times in row 4.", None),
    ("times-14", DIGIT, "6 appears 2 times in row 1 and 3 times in row 4, for a total of 5.", "5"),
    ("times-15", DIGIT, "**6** appears **7** times", "7"),
    ("times-16", DIGIT, "I count seven 6s.", "7"),
    ("times-17", DIGIT, "The digit 6 appears 7 times: (1, 2), (2, 3), (5, 5), (6, 1), (6, 6), (8, 2), (9, 9).", "7"),
    ("times-18", DIGIT, "Number of 6s: 7", "7"),
    ("times-19", DIGIT, "答案：7", "7"),
    ("times-20", DIGIT, "The digit 6 appears 5 or 6 times.", None),
    ("times-21", DIGIT, "Row 1: 2\nRow 2: 3\nTotal: 5", "5"),
    ("times-22", DIGIT_CHINESE, "6一共出现了四次", "4"),
    ("times-23", DIGIT, "at least 7 times", None),
    ("times-24", DIGIT, "The digit '6' occurs exactly once.", "1"),
    ("times-25", DIGIT, "\\boxed{6}", "6"),
    ("times-26", DIGIT, "Answer: 6", "6"),
    ("times-27", SEVENS, "There are 4 7s in the grid.", "4"),
    ("times-places", DIGIT, "The digit 6 appears 7 times: in row 1, 2, 2, 5, 6, 8 and 9.", "7"),
    ("kilopascal", PRESSURE_CHINESE, "约11.1千帕", "11.1"),
    ("kilopascal-reading", PRESSURE_CHINESE, "读数为5千帕。", "5"),
    ("scales-named", THERMOMETER, "The Celsius scale shows 22, the Fahrenheit scale shows 72.", "72"),
    ("scales-unit-first", THERMOMETER, "72 °F = 22 °C", "72"),
    ("parts-listed", SHOWN, "The versions differ in 6 of the 9 patches (1, 2, 4, 5, 7 and 9).", "6"),
    ("at-least-maybe", COUNT, "At least 3, maybe 4 cars.", None),
    ("none-and-two", COUNT, "There are no vehicles in it; the two I found are toys.", None),
    ("none-but", COUNT, "There are no cars on the left, but 5 on the right.", "5"),
]

GRID = (
    "In which row and column is the letter q? The answer is a list of two numbers, the row from the top and the column "
    "from the left. For example, [1, 2] is the first row and the second column."
)
# id, prompt, response, place
PLACES: list[tuple[str, str, str, str | None]] = [
    ("T96-row", GRID, "row 5, column 6", "[5, 6]"),
    ("T96-column", GRID, "column 6, row 5", "[5, 6]"),
    ("T96-and", GRID, "5 and 6", "[5, 6]"),
    ("T96-three", GRID, "12, 5, 6", None),
    ("list", GRID, "[5, 6]", "[5, 6]"),
    ("sentence", GRID, "The letter q is in the 5th row and the 6th column.\n\n**[5, 6]**", "[5, 6]"),
    ("chinese", GRID, "答案是：\n\n第 **5** 行，第 **6** 列。  \n答案为：[5, 6]", "[5, 6]"),
    ("swapped", GRID, "[6, 5]", "[6, 5]"),
    ("named-after", GRID, "[6, 5] (column, row)", "[5, 6]"),
    ("from-zero", GRID, "row 4, column 5 (0-indexed)", "[5, 6]"),
    ("unknown", GRID, "I cannot determine it.", None),
]

PATCHES = (
    "Two pictures are divided into n rows and m columns of patches, numbered row by row from 1 to n×m. Return the "
    'patches that differ:\n```json\n{"different_patches": [i1, i2]}\n```\nNote that in this image, n is 4 and m is 5'
)
# id, prompt, response, set
SETS: list[tuple[str, str, str, str | None]] = [
    ("T95", PATCHES, "Image 1 vs image 2: cells 3, 7", "[3, 7]"),
    ("json", PATCHES, '```json\n{"different_patches": [7, 11, 12]}\n```', "[7, 11, 12]"),
    ("json-work", PATCHES, 'Patch 7: a lamp.\n\n```json\n{\n  "different_patches": [7, 11]\n}\n```\nDone.', "[7, 11]"),
    ("of", PATCHES, "They differ in patches 2 and 6 of 12.", "[2, 6]"),
    ("one", PATCHES, "[7]", "[7]"),
    ("same-lines", PATCHES, "Patch 1: same\nPatch 2: different\nPatch 3: same\nPatch 6: different", "[2, 6]"),
    ("chinese-two", PATCHES, "图块2和图块6", "[2, 6]"),
    ("none", PATCHES, "[]", "[]"),
    ("unknown", PATCHES, "I cannot determine it.", None),
]

JIGSAW = (
    "Please complete the puzzle, which is divided into {n}×{n} pieces, numbered from 1 to {n²}. In what order should "
    "the pieces be arranged? For example, 1, 16, 15, 2, 14, 8, 13, 5, 6, 7, 3, 9, 10, 11, 4, 12."
)
# id, prompt, response, order of 9
ORDERS: list[tuple[str, str, str, str | None]] = [
    ("T93", JIGSAW, "[1,2,3],[4,5,6],[7,8,9]", "1, 2, 3, 4, 5, 6, 7, 8, 9"),
    ("T94", JIGSAW, "1, 1, 1, 1, 1, 1, 1, 1, 1", "1, 1, 1, 1, 1, 1, 1, 1, 1"),
    ("sentence", JIGSAW, "Row by row it is:\n\n**4, 1, 8, 9, 3, 6, 2, 7, 5**", "4, 1, 8, 9, 3, 6, 2, 7, 5"),
    ("short", JIGSAW, "[4, 1, 8]", None),
    ("rows-in-line", JIGSAW, "Top row: 4, 1, 8; middle row: 9, 3, 6; bottom row: 2, 7, 5", "4, 1, 8, 9, 3, 6, 2, 7, 5"),
    ("arrows", JIGSAW, "1→4, 2→1, 3→8, 4→9, 5→3, 6→6, 7→2, 8→7, 9→5", "4, 1, 8, 9, 3, 6, 2, 7, 5"),
    ("unknown", JIGSAW, "I cannot determine the order.", None),
]
