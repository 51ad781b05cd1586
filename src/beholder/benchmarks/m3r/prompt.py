"""What a model is asked of a picture with its text, in English and Chinese, and what a blind guesser would say.

The authors' prompts are not public, so all of these are ours. Each has a section for each language (`sections`); the
item's language decides which one is sent. Boxes are shares of the picture's width and height, which is OURS too.
"""

from __future__ import annotations

import json
import random
from typing import Any

import msgspec
from msgspec import UNSET

from beholder.annotation import SENTIMENTS, VISUAL, Annotation, Explanation
from beholder.benchmarks.m3r.labels import ANNOTATE, asked, gold_of, task_of
from beholder.benchmarks.sections import section_of, sections
from beholder.errors import UsageError
from beholder.sample import ImagePart, Part, Response, Sample, TextPart

__all__ = ["TASKS", "TEMPLATE", "gold", "guess", "prompt", "section_of"]

TEXT, IMAGE = "{text}", "<image>"

_THEORY_EN = """\
A metaphor lets one thing be understood as another. The TARGET is what the whole is really about; the SOURCE is what \
it is presented as, and lends the target some of its properties. The two come from different domains, and the source \
may stand in the picture, in the text, or in both. A good sign is something that does not fit if it is taken \
literally: a thing in a place where another belongs, a thing that does what only others do, a word used of what it is \
never used of. What merely stands beside something, illustrates it or exaggerates it is no metaphor."""
_SLOTS_EN = """\
Name the core target and source, each in a few words, as specific as picture and text make them: the thing that is \
spoken about ("waiting in line"), not its general topic ("everyday life"), and not every detail of how it is shown."""
_SENTIMENT_EN = """\
The sentiment is what picture and text together convey as a whole: positive, neutral or negative."""
_THEORY_ZH = """\
隐喻是借一个事物来理解另一个事物。“目标”（target）是整体真正在谈论的事物；“源”（source）是用来表现它的事物，并把自己的某些特点\
赋予目标。二者属于不同的领域；源可能出现在图片里、文字里，或两者都有。一个可靠的线索是：按字面理解就说不通，例如一个事物占了另一\
事物本来的位置，一个事物做着只有别的事物才会做的事，或一个词用在了从不与它搭配的对象上。只是并列、配图说明或夸张，都不算隐喻。"""
_SLOTS_ZH = """\
请用几个词分别写出最核心的目标和源，具体程度以图片和文字为准：写所谈的事物本身（如“排队”），不要写笼统的主题（如“日常生活”），\
也不要罗列画面的所有细节。"""
_SENTIMENT_ZH = """\
情感指图片和文字整体传达的态度：positive（积极）、neutral（中性）或 negative（消极）。"""

TEMPLATE = f"""\
[en]
You see a picture and the text that belongs to it. Decide whether together they express a metaphor, and explain why.

{_THEORY_EN}

{_SLOTS_EN} {_SENTIMENT_EN}

Work in this order: first look for the evidence in picture and text, then say how it makes the target be seen as the \
source, then what follows for the sentiment.

Text:
{TEXT}

Answer with one JSON object of this form, and nothing else:
{{
  "metaphor": "yes" or "no",
  "target": "…", or null if there is no metaphor,
  "source": "…", or null if there is no metaphor,
  "sentiment": "positive", "neutral" or "negative",
  "explanation": {{
    "evidence": [
      {{"kind": "visual", "text": "what is to be seen", "box": [left, top, right, bottom]}},
      {{"kind": "textual", "text": "the words of the text"}}
    ],
    "mapping": "how the evidence makes the target be seen as the source; without a metaphor, why nothing is mapped",
    "sentiment": "why this sentiment follows"
  }}
}}
A box is optional. It gives the place of a visual piece as shares of the picture's width and height, from 0 to 1, \
counted from the top left corner.
[zh]
你会看到一张图片和与之配合的文字。请判断二者合起来是否表达了隐喻，并说明理由。

{_THEORY_ZH}

{_SLOTS_ZH}{_SENTIMENT_ZH}

请按以下顺序思考：先在图片和文字中寻找证据，再说明这些证据怎样让人把目标看作源，最后说明由此得出的情感。

文字：
{TEXT}

只输出一个如下形式的 JSON 对象，不要输出其他内容（键名和固定取值保持英文，其余用中文）：
{{
  "metaphor": "yes" 或 "no",
  "target": "……"，没有隐喻时为 null,
  "source": "……"，没有隐喻时为 null,
  "sentiment": "positive"、"neutral" 或 "negative",
  "explanation": {{
    "evidence": [
      {{"kind": "visual", "text": "图中可见的内容", "box": [左, 上, 右, 下]}},
      {{"kind": "textual", "text": "文字中的原词"}}
    ],
    "mapping": "证据怎样让人把目标看作源；没有隐喻时说明为什么不存在映射",
    "sentiment": "为什么得出这种情感"
  }}
}}
box 可以省略。它是视觉证据在图片中的位置，写成图片宽和高的比例，取值 0 到 1，以左上角为原点。
"""


def _single(about: tuple[str, str], question: tuple[str, str], form: tuple[str, str]) -> str:
    """The prompt of one label alone; each argument is given in English and in Chinese."""
    return f"""\
[en]
You see a picture and the text that belongs to it. {about[0]}

Text:
{TEXT}

{question[0]} Answer with one JSON object of this form, and nothing else:
{form[0]}
[zh]
你会看到一张图片和与之配合的文字。{about[1]}

文字：
{TEXT}

{question[1]}只输出一个如下形式的 JSON 对象，不要输出其他内容：
{form[1]}
"""


_THEORY = (_THEORY_EN, _THEORY_ZH)
_SLOTS = (f"{_THEORY_EN}\n\n{_SLOTS_EN}", f"{_THEORY_ZH}\n\n{_SLOTS_ZH}")

TASKS: dict[str, str] = {
    "metaphor": _single(
        _THEORY,
        ("Do picture and text together express a metaphor?", "图片和文字合起来是否表达了隐喻？"),
        ('{"metaphor": "yes" or "no"}', '{"metaphor": "yes" 或 "no"}'),
    ),
    "target": _single(
        _SLOTS,
        ("What is the core target of the metaphor?", "隐喻最核心的目标是什么？"),
        ('{"target": "…", or null if there is no metaphor}', '{"target": "……"，没有隐喻时为 null}'),
    ),
    "source": _single(
        _SLOTS,
        ("What is the core source of the metaphor?", "隐喻最核心的源是什么？"),
        ('{"source": "…", or null if there is no metaphor}', '{"source": "……"，没有隐喻时为 null}'),
    ),
    "sentiment": _single(
        (_SENTIMENT_EN, _SENTIMENT_ZH),
        ("Which sentiment do they convey?", "它们传达了哪种情感？"),
        ('{"sentiment": "positive", "neutral" or "negative"}', '{"sentiment": "positive"、"neutral" 或 "negative"}'),
    ),
    ANNOTATE: TEMPLATE,
}
"""Task → template. The joint question is the benchmark's own template."""

_THINGS = {
    "en": ("time", "smoking", "love", "money", "a road", "fire", "a bird", "a prison", "nature", "a war"),
    "zh": ("时间", "吸烟", "爱", "金钱", "道路", "火", "鸟", "监狱", "自然", "战争"),
}


def prompt(sample: Sample, template: str, order: tuple[int, ...] = ()) -> tuple[Part, ...]:
    """The parts to send: the picture, then the template's section for the item's language with the item's text in it.

    The picture goes to `<image>` where the section has it. Nothing inside an item's text is taken for a placeholder.
    `order` is not used: no stored answers are shown. `UsageError` if a section does not hold `{text}` exactly once, or
    `<image>` more than once.
    """
    check_template(template)
    asking = section_of(template, str(sample.metadata.get("language", "")))
    picture = [ImagePart(index) for index in range(len(sample.images))]
    if IMAGE not in asking:
        return (*picture, TextPart(asking.replace(TEXT, sample.question)))
    before, after = (piece.replace(TEXT, sample.question) for piece in asking.split(IMAGE))
    parts: list[Part] = [TextPart(before), *picture, TextPart(after)]
    return tuple(part for part in parts if not isinstance(part, TextPart) or part.text)


def check_template(template: str) -> None:
    """Raises `UsageError` if a section of a template lacks its placeholder or has one too many."""
    for name, asking in (sections(template) or {"": template}).items():
        place = f"The section [{name}] of the prompt template" if name else "The prompt template"
        if asking.count(TEXT) != 1:
            raise UsageError(
                f"{place} must hold {TEXT} exactly once, where the item's text goes;"
                f" it holds it {asking.count(TEXT)} times."
            )
        if asking.count(IMAGE) > 1:
            raise UsageError(f"{place} may hold {IMAGE} once; it holds it {asking.count(IMAGE)} times.")


def guess(sample: Sample, rng: random.Random) -> str:
    """A blind answer in the form that the task asks for: each yes or no and each sentiment as often as the others.

    OUR assumption: target and source come from a short list of things. It says nothing in the explanation.
    """
    metaphor = rng.random() < 0.5
    things = _THINGS["zh" if sample.metadata.get("language") == "zh" else "en"]
    target, source = rng.sample(things, 2) if metaphor else (None, None)
    drawn = Annotation(metaphor=metaphor, target=target, source=source, sentiment=rng.choice(SENTIMENTS))
    return _said(drawn, task_of(sample))


def gold(sample: Sample) -> list[Response]:
    """What a perfect model would say in the form that the task asks for, as far as the data give it.

    A label that the data do not give is filled with what the structure rules allow: it is scored by nobody.
    """
    return [Response(text=_said(_whole(gold_of(sample)), task_of(sample)), finish="stop")]


def _whole(annotation: Annotation) -> Annotation:
    """The same with every label, for those that are not given."""
    slots = (annotation.target, annotation.source)
    metaphor = annotation.metaphor
    if metaphor is UNSET:
        metaphor = any(isinstance(slot, str) for slot in slots)
    filled = ["something" if metaphor else None] * 2
    target, source = (fill if slot is UNSET else slot for slot, fill in zip(slots, filled, strict=True))
    sentiment = SENTIMENTS[1] if annotation.sentiment is UNSET else annotation.sentiment
    return msgspec.structs.replace(annotation, metaphor=metaphor, target=target, source=source, sentiment=sentiment)


def _said(annotation: Annotation, task: str) -> str:
    """An annotation in the form that a task asks for."""
    labels = asked(task)
    values: dict[str, Any] = {label: getattr(annotation, label) for label in labels}
    if "metaphor" in values:
        values["metaphor"] = "yes" if values["metaphor"] else "no"
    if len(labels) > 1:
        values["explanation"] = _explained(annotation.explanation)
    return json.dumps(values, ensure_ascii=False)


def _explained(explanation: Explanation | Any) -> dict[str, Any]:
    if not isinstance(explanation, Explanation):
        return {"evidence": [], "mapping": "", "sentiment": ""}
    pieces = [
        {"kind": piece.kind, "text": piece.text}
        | ({"box": list(piece.box)} if piece.box is not None and piece.kind == VISUAL else {})
        for piece in explanation.evidence
    ]
    return {"evidence": pieces, "mapping": explanation.mapping, "sentiment": explanation.sentiment}
