"""Responses to questions of TIR-Bench's kinds, with the answer that a person takes (None: none, and the outcome)."""

from __future__ import annotations

SHARE = (
    "Which value comes closest to the share of the picture that the dog covers?\n"
    "A: 65%\nB: 73%\nC: 81%\nD: 89%\nE: 49%\nF: 57%"
)
COLORS = "How many colours does the picture hold? Pick from these choices. (A) 7 (B) 8 (C) 9 (D) 10"
DEGREES = (
    "By how many degrees must this picture be turned CLOCKWISE?\n\nA. 90°\nB. 110°\nC. 100°\nD. 80°\nE. 75°\nF. 70°"
)
SCALE = "About what does the Fahrenheit scale read?\nA 22-23\nB 69-70\nC 70-71\nD 71-72\nE 72-73"
SQUARES = "How many squares are nested here?\nA.6\nB.8\nC.7\nD.9\nE.10"
HOURS = "When is the car park open?\nA. Cannot be determined\nB. 7AM-10PM\nC. 9AM-11PM\nD. 24 hours a day"
MAZE = "Which way leads from the red ball to the green one?\nA. RRDD\nB. DDRR\nC. RDRD\nD. DRDR\nE. LRUD\nF. No answer"
POINTS = "Which point mirrors A at B?\nA. point C\nB. point D\nC. point E\nD. point F\nE. point G"
INTERVALS = "For x = 2.5, y lies in\nA. [2, 2.5]\nB. [1.5, 2]\nC. [2.5, 3]\nD. [3, 3.5]"
PAINT = "What is the main colour of the door? (A) red (B) blue (C) green (D) yellow"
PLAIN = "Which of the four is it?\nA. cat\nB. dog\nC. fish\nD. owl"
CAR = "What is the color of the car?\nA. blue\nB. dark blue\nC. red\nD. light blue"
CLOCK = "What is the time?\nA. 9:10\nB. 9:40\nC. 8:40\nD. 10:40"
AREA = "What is the area?\nA. 3π\nB. 6π\nC. 12π\nD. 9π"
TURN = "By how much?\nA. 90°\nB. 110°\nC. 75°\nD. 80°"
SEGMENTS = "Which side is longest?\nA. ab\nB. cd\nC. ef\nD. gh"
CHINESE = "图中的门是什么颜色？\nA. 红色\nB. 蓝色\nC. 绿色\nD. 黄色"
NO_LIST = "Which of the marked places is the highest?"

# id, prompt, response, letter
CHOICES: list[tuple[str, str, str, str | None]] = [
    ("T01", PLAIN, "The mark lies on the lower part. **The correct answer is (B).**", "B"),
    ("T02", PLAIN, "Based on the image, nothing can be said.", None),
    ("T03", PLAIN, "The correct answer is B. Here's why: option A is a distractor, B is right.", "B"),
    ("T04", PLAIN, "The answer is C because I worked it out.", "C"),
    ("T05", PLAIN, "I considered (A), but it is incorrect. Final answer: D.", "D"),
    ("T05-bold", PLAIN, "Answer: **D**", "D"),
    ("T06", PLAIN, "Answer: A\nAfter checking, I need to correct this.\nAnswer: B", "B"),
    ("T07", PLAIN, "\\boxed{\\langle H\\rangle \\ll \\Delta E}\n**Answer: D**", "D"),
    ("T08", PLAIN, "ANSWER: AB", None),
    ("T09-dot", PLAIN, "A.", "A"),
    ("T09-parentheses", PLAIN, " (A) ", "A"),
    ("T09-small", PLAIN, "a", "A"),
    ("T10", PLAIN, "(A) cat\n(B) dog\n(C) fish\n(D) owl\n\n**(B)**", "B"),
    ("T12", PLAIN, "C", "C"),
    ("T62", PLAIN, "The answer is A. Note that B is wrong.", "A"),
    ("T63", PLAIN, "It is not B.", None),
    ("T64", PLAIN, "A cat is here.", None),
    ("T65", PLAIN, "Both A and C", None),
    ("T66-colon", PLAIN, "答案：C。", "C"),
    ("T66-is", PLAIN, "答案是B", "B"),
    ("T66-circled", PLAIN, "Ⓑ", "B"),
    ("T67-empty", PLAIN, "", None),
    ("T67-unknown", PLAIN, "unknown", None),
    ("T67-cannot", PLAIN, "cannot determine", None),
    ("T67-none", PLAIN, "no answer", None),
    ("T67-option", MAZE, "no answer", "F"),
    ("T68", PLAIN, "b", "B"),
    ("option-word", PLAIN, "Option C", "C"),
    ("option-lower", PLAIN, "option C.", "C"),
    ("choice-word", PLAIN, "My choice: D", "D"),
    ("boxed", PLAIN, "$\\boxed{B}$", "B"),
    ("boxed-text", PLAIN, "\\boxed{\\text{B}}", "B"),
    ("boxed-with-text", PLAIN, "\\boxed{B. dog}", "B"),
    ("box-token", PLAIN, "<|begin_of_box|>B<|end_of_box|>", "B"),
    ("tag", PLAIN, "It barks. <answer>B</answer>", "B"),
    ("tag-case", PLAIN, "<Answer> b. </Answer>", "B"),
    ("tag-text", PLAIN, "<answer>dog</answer>", "B"),
    ("json", PLAIN, '```json\n{"answer": "B"}\n```', "B"),
    ("json-plain", PLAIN, '{"answer": "C"}', "C"),
    ("heading", PLAIN, "It has fins.\n\n### Final Answer\n\n**C**", "C"),
    ("heading-text", PLAIN, "It has fins.\n\nCorrect choice:  \nC. fish", "C"),
    ("last-line", PLAIN, "It has fins and swims.\n\nC", "C"),
    ("last-line-text", PLAIN, "It has fins and swims.\n\nC. fish", "C"),
    ("first-line", PLAIN, "C\n\nIt has fins and swims.", "C"),
    ("think", PLAIN, "<think>Maybe A. No, the answer is D.</think>The answer is C.", "C"),
    ("think-only-close", PLAIN, "Is it A? </think>\nC", "C"),
    ("think-open", PLAIN, "<think>It must be C", None),
    ("think-other", PLAIN, "<thinking>(A)</thinking>B", "B"),
    ("option-text", PLAIN, "dog", "B"),
    ("option-text-sentence", PLAIN, "It is a dog.", "B"),
    ("option-text-answer", PLAIN, "The answer is owl.", "D"),
    ("option-text-two", PLAIN, "I see a dog and a cat.", None),
    ("label-and-other-text", PLAIN, "The answer is A. dog", None),
    ("beyond", PLAIN, "E", None),
    ("or", PLAIN, "B or C", None),
    ("wait", PLAIN, "The answer is B. Wait, the answer is C.", "C"),
    ("two-answers", PLAIN, "Answer: B\nAnswer: C", None),
    ("chinese-choose", PLAIN, "根据图片，故选D。", "D"),
    ("chinese-choice", CHINESE, "门是蓝色的，所以选 B。", "B"),
    ("chinese-text", CHINESE, "答案：蓝色", "B"),
    ("chinese-bare", CHINESE, "蓝色", "B"),
    ("chinese-label", CHINESE, "B. 蓝色", "B"),
    ("chinese-correct", CHINESE, "正确答案是 **C**。", "C"),
    ("chinese-unknown", CHINESE, "无法确定", None),
    ("chinese-sentence", CHINESE, "门是蓝色的。", "B"),
    ("chinese-sentence-long", CHINESE, "图中门的颜色是蓝色。", "B"),
    ("chinese-not", CHINESE, "不是蓝色。", None),
    # shares and other numbers as options
    ("share-letter", SHARE, "C: 81%", "C"),
    ("share-bold", SHARE, "The dog fills most of it.\n\nAnswer: **C: 81%**", "C"),
    ("share-sentence", SHARE, "The correct option is C", "C"),
    ("share-parentheses", SHARE, "**the closest value is (B) 73%.**", "B"),
    ("share-bare", SHARE, "81%", "C"),
    ("share-no-sign", SHARE, "81", "C"),
    ("share-in-words", SHARE, "The dog covers roughly 81% of the picture.", "C"),
    ("share-last-line", SHARE, "It reaches from edge to edge.\nThus it covers about 81%.", "C"),
    ("share-between", SHARE, "Somewhere between 73% and 81%.", None),
    ("share-no-option", SHARE, "About 80%.", None),
    ("share-work", SHARE, "The dog is 700 px wide and the picture 900.", None),
    ("share-colour", "How much is green? (A) 9% (B) 13% (C) 17% (D) 21%", "**the closest is (B) 13%.**", "B"),
    ("colors-number", COLORS, "10", "D"),
    ("colors-label", COLORS, "(D) 10", "D"),
    ("colors-sentence", COLORS, "There are 10 colours in the picture.", "D"),
    ("colors-word", COLORS, "There are nine colours.", "C"),
    ("colors-answer", COLORS, "The answer is 10.", "D"),
    ("colors-answer-and-label", COLORS, "The answer is 10 (D).", "D"),
    ("colors-other", COLORS, "There are 12 colours.", None),
    ("colors-two", COLORS, "I count 7 dark and 2 light ones.", None),
    ("colors-parts", COLORS, "There are 10 colours: 4 warm ones, 5 cold ones and 1 grey.", "D"),
    ("colors-cut", COLORS, "The picture has 4 quadrants", None),
    ("degrees-label", DEGREES, "**C. 100°**", "C"),
    ("degrees-number", DEGREES, "100°", "C"),
    ("degrees-words", DEGREES, "It must be turned by 100 degrees.", "C"),
    ("degrees-work", DEGREES, "It is tilted **80° to the left**. So the answer is:\n**D. 80°**", "D"),
    ("scale-label", SCALE, "D", "D"),
    ("scale-text", SCALE, "71-72", "D"),
    ("scale-both", SCALE, "D 71-72", "D"),
    ("scale-answer", SCALE, "The answer is 71-72.", "D"),
    ("squares-joined", SQUARES, "B.8", "B"),
    ("squares-number", SQUARES, "8", "B"),
    ("squares-sentence", SQUARES, "I count 8 squares.", "B"),
    ("hours-label", HOURS, "D. 24 hours a day", "D"),
    ("hours-text", HOURS, "24 hours a day", "D"),
    ("hours-sentence", HOURS, "The car park is open 24 hours a day, so the answer is D.", "D"),
    ("hours-declines", HOURS, "It cannot be determined from the picture.", "A"),
    ("hours-declines-label", HOURS, "A. Cannot be determined", "A"),
    ("hours-declines-other", HOURS, "I cannot say.", None),
    ("maze-label", MAZE, "All of them hit a wall.\n\nCorrect choice:  \nF. No answer", "F"),
    ("maze-text", MAZE, "Every way hits a wall.\n\nNo answer", "F"),
    ("maze-sentence", MAZE, "Every way hits a wall, so there is no answer.", "F"),
    ("maze-moves", MAZE, "RDRD", "C"),
    ("maze-moves-answer", MAZE, "The way is C: RDRD.", "C"),
    ("maze-moves-said", MAZE, "The answer is DDRR", "B"),
    ("maze-works", MAZE, "Option C leads out of the maze.", "C"),
    ("maze-works-path", MAZE, "A and B end at walls.\n\nPath C successfully reaches the green ball.", "C"),
    ("maze-works-not", MAZE, "Option C does not lead out of the maze.", None),
    ("maze-works-two", MAZE, "Option C leads out, and D as well.", None),
    ("maze-judged", MAZE, "A. wrong\nB. wrong\nC. correct\nD. wrong\nE. wrong\nF. wrong", "C"),
    ("maze-unknown", MAZE, "I cannot determine the way.", None),
    ("maze-moves-other", MAZE, "RRRR", None),
    ("points-name", POINTS, "It is point D.", "B"),
    ("points-answer", POINTS, "The answer is point E.", "C"),
    ("points-label", POINTS, "Answer: A. point C", "A"),
    ("points-work", POINTS, "C lies on the line, and point C from B most closely matches.\n\nAnswer: A. point C", "A"),
    ("points-letter", POINTS, "D", "D"),
    ("points-bold", POINTS, "**B. point D**", "B"),
    ("intervals-label", INTERVALS, "C. [2.5, 3]", "C"),
    ("intervals-text", INTERVALS, "[2.5, 3]", "C"),
    ("intervals-letter", INTERVALS, "At 2.5 the curve is at 2.7, so the answer is C.", "C"),
    ("paint-text", PAINT, "blue", "B"),
    ("paint-case", PAINT, "Blue", "B"),
    ("paint-sentence", PAINT, "The main colour is blue.", "B"),
    ("paint-label", PAINT, "(B) blue", "B"),
    ("paint-two", PAINT, "The door is blue and green.", None),
    ("no-list-letter", NO_LIST, "H", "H"),
    ("no-list-sentence", NO_LIST, "The highest is G, so the answer is G.", "G"),
    ("no-list-point", NO_LIST, "The hill on the left is lower.\nThe highest place is at point **D**.", "D"),
    ("no-list-point-chinese", NO_LIST, "最高的地方在点D。", "D"),
    ("no-list-points", NO_LIST, "Point D is higher than point E.", None),
    ("no-list-point-not", NO_LIST, "The highest place is not point D.", None),
    ("no-list-beyond", NO_LIST, "Z", None),
    # natural sentences
    ("sentence-1", HOURS, "The parking lot is open 24 hours a day.", "D"),
    ("sentence-2", CAR, "The color of the car is dark blue.", "B"),
    ("sentence-3", CAR, "The color of the car is blue.", "A"),
    ("sentence-4", CLOCK, "The time is approximately 9:40.", "B"),
    ("sentence-5", AREA, "$\\boxed{6\\pi}$", "B"),
    ("sentence-6", AREA, "So the area = 6π → B", "B"),
    ("sentence-7", INTERVALS, "y ∈ [2.5, 3]", "C"),
    ("sentence-8", SCALE, "It's 71–72 (D)", "D"),
    ("sentence-9", TURN, "270° counterclockwise is the same as 90° clockwise: A", "A"),
    ("sentence-10", MAZE, "Only A reaches the green ball; B, C, D and E hit walls.", "A"),
    ("sentence-11", PLAIN, "我认为是B", "B"),
    ("sentence-12", PLAIN, "我选B", "B"),
    ("sentence-13", PLAIN, "我不认为是B", None),
    ("sentence-15", PLAIN, "It might be an owl (D)", None),
    ("sentence-16", PLAIN, "Not the answer: A", None),
    ("sentence-17", PLAIN, "It is next to the dog.", None),
    ("sentence-19", PLAIN, "The animal behind the tree is clearly a dog.", "B"),
    ("sentence-20", CAR, "The car is not dark blue.", None),
    ("sentence-22", AREA, "The area equals $6\\pi$.", "B"),
    ("sentence-24", CAR, "The car looks blue or dark blue.", None),
    ("sentence-25", CLOCK, "The clock shows 9:40 in the picture.", "B"),
    ("sentence-26", MAZE, "Only B, C and D hit walls.", None),
    ("sentence-27", MAZE, "只有选项B能够到达绿色球，其余都会撞墙。", "B"),
    ("sentence-29", PLAIN, "The point from B most closely matches.", None),
    ("sentence-30", PLAIN, "Which one? I'd say the owl (D).", "D"),
    ("sentence-31", PLAIN, "Eliminated: A", None),
    ("sentence-32", HOURS, "It is open from 7AM-10PM.", None),
    ("sentence-33", PLAIN, "Animals that don't bark: A", None),
    ("sentence-34", SHARE, "5% is far too small; the man covers about 80–82% of it → option C (81%).", "C"),
    ("sentence-35", MAZE, "Neither is right (F)", None),
    ("sentence-36", DEGREES, "I turned it by 90° and saw it was still 10° off.", None),
    ("sentence-37", PLAIN, "The correct one must be the fish: C", "C"),
    ("sentence-39", CHINESE, "门的颜色是蓝色（B）。", "B"),
    ("sentence-40", CHINESE, "我觉得应该是B。", "B"),
    ("sentence-41", CHINESE, "我认为不是B。", None),
    ("sentence-work", AREA, "Hence the area is $9\\pi - 3\\pi = 6\\pi$.", None),
    ("sentence-figure", PLAIN, "See figure (A)", None),
    ("sentence-step", PLAIN, "Step 2: B", None),
    ("sentence-two-texts", HOURS, "The garage is open 7AM-10PM, the lot 24 hours a day.", None),
    ("sentence-not-the-other", CAR, "The car is blue, not dark blue.", "A"),
    ("sentence-only-wrong", MAZE, "Only B hits a wall.", None),
    ("sentence-compared", PLAIN, "I compared it with the dog: B", "B"),
    ("text-of-letters", SEGMENTS, "AB", None),
    ("text-of-small-letters", SEGMENTS, "ab", "A"),
    ("sentence-sign", HOURS, "The sign on the left says the lot is open 24 hours a day.", "D"),
    ("sentence-range", SCALE, "The reading on the Fahrenheit scale is approximately 71 to 72.", "D"),
    ("sentence-brackets-chinese", SCALE, "我认为是D（71-72）。", "D"),
    ("sentence-arrow", SHARE, "Segmenting gives 201,344 of 307,200 pixels ≈ 65.5%. → A", "A"),
    ("sentence-path", MAZE, "Only path C gets the ball to the goal; A, B, D and E run into walls.", "C"),
    ("beside", POINTS, "The point that from B most closely matches.", None),
    ("outermost", SQUARES, "Starting from the outermost one I count 8 nested squares.", "B"),
]

PAIRS = (
    "Which lines run in parallel?\nA.ab and cd\nB.ef and gh\nC.ab and gh\nD.ef and cd\nE.none of these\n"
    " This is a multiple-choice question, and you need to select more than one option. Write the final answer with "
    "consecutive letters, such as ABC or CD."
)
PAIRS_OF_LETTERS = "Which sides are long? Select all that apply.\nA. ab\nB. cd\nC. ef"
ALL = "Which ones are animals? Select all that apply.\nA. cat\nB. car\nC. fish\nD. owl"
MANY_CHINESE = "下列哪些是动物？（多选）\nA. 猫\nB. 车\nC. 鱼\nD. 猫头鹰"

# id, prompt, response, letters
SEVERAL: list[tuple[str, str, str, str | None]] = [
    ("T69-commas", ALL, "A, B, C", "ABC"),
    ("T69-order", ALL, "BCA", "ABC"),
    ("T69-both", ALL, "Both A and C", "AC"),
    ("T08", ALL, "ANSWER: AB", "AB"),
    ("together", PAIRS, "CD", "CD"),
    ("turned", PAIRS, "DC", "CD"),
    ("one", PAIRS, "C", "C"),
    ("answer", PAIRS, "The slopes agree.\n\n**Answer: CD**", "CD"),
    ("answer-commas", PAIRS, "Answer: C, D", "CD"),
    ("and", PAIRS, "The correct options are C and D.", "CD"),
    ("boxed", PAIRS, "\\boxed{CD}", "CD"),
    ("tag", PAIRS, "<answer>CD</answer>", "CD"),
    ("lines", ALL, "A. cat\nC. fish\nD. owl", "ACD"),
    ("list", ALL, '["A", "C"]', "AC"),
    ("small", ALL, "a, c", "AC"),
    ("chinese", MANY_CHINESE, "答案：ACD", "ACD"),
    ("chinese-comma", MANY_CHINESE, "选A、C和D", "ACD"),
    ("or", ALL, "A or C", None),
    ("neither", ALL, "Neither A nor C", None),
    ("doubled", ALL, "AA", None),
    ("empty", ALL, "", None),
    ("beyond", PAIRS, "FG", None),
    ("texts-of-letters", PAIRS_OF_LETTERS, "AB", "AB"),
]

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
