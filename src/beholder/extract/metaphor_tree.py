"""A metaphor annotation out of a JSON object, whatever its keys are called and however they are nested."""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from beholder.annotation import LABELS, TEXTUAL, VISUAL, Box, Evidence, Explanation
from beholder.extract import metaphor_words as words
from beholder.extract.metaphor_box import BOX_UNREAD, read_box

T = TypeVar("T")
Value = bool | str | UnsetType | None
NO_KIND, UNSTAGED = "no_kind", "unstaged"


class Said(msgspec.Struct, frozen=True, gc=False):
    """One place where a label is given: its value (UNSET: what stands there is no answer) and its (start, end) offsets.

    `rank` is 0 for a field of the label's own; a higher one counts only where there is no lower.
    """

    label: str
    value: Value
    start: int
    end: int
    rank: int = 0


class Told:
    """What an answer gives, gathered piece by piece: claims of labels, the stages of the explanation, flags."""

    def __init__(self) -> None:
        self.claims: list[Said] = []
        self.evidence: list[Evidence] = []
        self.mapping: list[str] = []
        self.why: list[str] = []
        self.loose: list[str] = []  # text that names no stage: counts as the mapping where no stage is told
        self.flags: list[str] = []
        self.divided = False  # two texts of the same stage, and nothing says which stands

    @property
    def explanation(self) -> Explanation | UnsetType:
        """The stages, UNSET if nothing stands in any."""
        evidence = tuple(dict.fromkeys(self.evidence))
        whole = Explanation(evidence, _joined(self.mapping), _joined(self.why))
        if whole.blank:
            whole = Explanation(mapping=_joined(self.loose))
        return UNSET if whole.blank or self.divided else whole

    @property
    def unstaged(self) -> bool:
        """Whether the explanation is text that names no stage."""
        return bool(self.loose) and not (self.evidence or self.mapping or self.why)

    def add(self, other: Told, *, beside: bool, replaces: bool) -> None:
        """Adds what another object of the answer gives; of a stage that is told already, the later text `replaces` the
        earlier one or stands `beside` it, and otherwise neither stands."""
        self.claims += other.claims
        for flag in other.flags:
            self.flag(flag)
        self.evidence = self._stage(self.evidence, other.evidence, beside, replaces)
        self.mapping = self._stage(self.mapping, other.mapping, beside, replaces)
        self.why = self._stage(self.why, other.why, beside, replaces)
        self.loose = self._stage(self.loose, other.loose, beside, replaces=True)

    def _stage(self, told: list[T], new: list[T], beside: bool, replaces: bool) -> list[T]:
        if told and new and told != new and not beside:
            self.divided = self.divided or not replaces
            return new
        told.extend(new if told != new else [])
        return told

    @property
    def size(self) -> int:
        """How many pieces there are, flags not counted."""
        return len(self.claims) + len(self.evidence) + len(self.mapping) + len(self.why) + len(self.loose)

    def flag(self, word: str) -> None:
        if word not in self.flags:
            self.flags.append(word)


def _joined(texts: list[str]) -> str:
    return "\n".join(dict.fromkeys(text.strip() for text in texts if text.strip()))


class Several(list[Any]):
    """The different values of a key that stands twice in one object."""


def with_duplicates(written: str) -> Any:
    """The JSON value of a text in which an object's key may stand twice; UNSET if it is not strict JSON."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name, value in pairs:
            if name not in made or made[name] == value:
                made[name] = value
            elif isinstance(made[name], Several):
                made[name].append(value)
            else:
                made[name] = Several([made[name], value])
        return made

    try:
        return json.loads(written, object_pairs_hook=members, strict=False)
    except (ValueError, RecursionError):
        return UNSET


def read_tree(tree: dict[str, Any], span: tuple[int, int], told: Told, task: str = "") -> None:
    """Adds what an object gives to what is told already; `span` is the place of the whole object.

    `task` is the one label that is asked for, if it is one: then `{"answer": …}` gives it.
    """
    _Walk(span, told, task).members(tree)


class _Walk:
    def __init__(self, span: tuple[int, int], told: Told, task: str) -> None:
        self.span, self.told, self.task = span, told, task

    def members(self, tree: dict[str, Any], rank: int = 0) -> None:
        """Labels and stages in an object; `rank` is above 0 inside an explanation."""
        for name, inner in tree.items():
            self.member(words.role_of(name), name, inner, rank)

    def member(self, role: str, name: str, inner: Any, rank: int) -> None:
        """What stands under one key; `role` is what it names."""
        if role in LABELS and not (rank and role == words.SENTIMENT):
            self.label(role, inner, rank)
        elif role == words.ANSWER and self.task and not isinstance(inner, dict | list):
            self.label(self.task, inner, rank)
        elif role == words.EXPLANATION:
            self.explained(inner)
        elif role == words.EVIDENCE or (words.kind_of(name) and (rank or _SAYS_EVIDENCE.search(name.lower()))):
            self.evidence(inner, words.kind_of(name))
        elif role == words.MAPPING:
            self.stage(inner, self.told.mapping, "")
        elif role in (words.WHY, words.SENTIMENT):
            self.stage(inner, self.told.why, words.SENTIMENT)
        elif rank and (stage := _STAGE_NUMBER.fullmatch(name.strip().lower())):
            self.member(_STAGES[stage[1]], name, inner, rank)
        else:
            for one in inner if isinstance(inner, list) else [inner]:
                if isinstance(one, dict):
                    self.members(one, rank)
                elif rank and isinstance(one, str) and one.strip():
                    self.told.loose.append(one)

    # Labels --------------------------------------------------------------------------------------------------------

    def label(self, label: str, inner: Any, rank: int) -> None:
        """The claims under a label's own key."""
        if isinstance(inner, dict):
            self.nested(label, inner, rank)
        elif isinstance(inner, list):
            for one in inner or [None]:
                self.label(label, UNSET if isinstance(one, list) else one, rank)
        elif inner is not None or label in (words.TARGET, words.SOURCE):
            self.told.claims.append(Said(label, self.value(label, inner), *self.span, rank))

    def nested(self, label: str, inner: dict[str, Any], rank: int) -> None:
        """A label that is an object: its value stands under a key such as `label` or `present`, others may be there.

        A slot without such a key has been given, but not in a way that can be read.
        """
        told = len(self.told.claims)
        for name, one in inner.items():
            role = words.role_of(name)
            if role in (label, words.ANSWER) or name.strip().lower() in _VALUE_KEYS[label]:
                self.label(label, UNSET if isinstance(one, dict | list) else one, rank)
            elif role in LABELS:
                self.label(role, one, rank)
            elif label == words.SENTIMENT and (role in (words.EXPLANATION, words.WHY) or name.lower() in _REASON_KEYS):
                self.stage(one, self.told.why, "")
            elif role:
                self.member(role, name, one, rank)
        if label in (words.TARGET, words.SOURCE) and all(one.label != label for one in self.told.claims[told:]):
            self.told.claims.append(Said(label, UNSET if inner else None, *self.span, rank + 1))

    def value(self, label: str, inner: Any) -> Value:
        """What one plain JSON value says of a label."""
        if label == words.METAPHOR:
            if isinstance(inner, bool) or (isinstance(inner, int | float) and inner in (0, 1)):
                return bool(inner)
            return words.metaphor_word(inner) if isinstance(inner, str) else UNSET
        if label == words.SENTIMENT:
            return words.feeling_word(inner) if isinstance(inner, str) else UNSET
        return None if inner is None else words.slot_words(inner) if isinstance(inner, str) else UNSET

    # The explanation -----------------------------------------------------------------------------------------------

    def explained(self, inner: Any) -> None:
        """An explanation: an object of stages, a list of them, or text without stages."""
        if isinstance(inner, dict):
            named = next((inner[key] for key in inner if key.strip().lower() in _STAGE_KEYS), None)
            role = words.role_of(named) if isinstance(named, str) else ""
            if role:
                texts = {key: value for key, value in inner.items() if key.strip().lower() not in _STAGE_KEYS}
                self.member(role, role, next(iter(texts.values())) if len(texts) == 1 else texts, rank=1)
            else:
                self.members(inner, rank=1)
        elif isinstance(inner, list):
            for one in inner:
                self.explained(one)
        elif isinstance(inner, str) and inner.strip():
            self.unstaged(inner)

    def unstaged(self, text: str) -> None:
        """Text that may name its stage: "Mapping: …"."""
        lead = _LEAD.match(text)
        role = words.role_of(lead[1]) if lead else ""
        if lead and role in (words.EVIDENCE, VISUAL, TEXTUAL):
            self.evidence(text[lead.end() :], words.kind_of(lead[1]))
        elif lead and role in (words.SENTIMENT, words.WHY):
            self.told.why.append(text[lead.end() :])
        elif lead and role == words.MAPPING:
            self.told.mapping.append(text[lead.end() :])
        else:
            self.told.loose.append(text)

    def stage(self, inner: Any, into: list[str], label: str) -> None:
        """The text of a stage; an object may hold labels too, which count if they stand nowhere else."""
        if isinstance(inner, str):
            into.append(inner)
        elif isinstance(inner, list):
            for one in inner:
                self.stage(one, into, label)
        elif isinstance(inner, dict):
            texts = {}
            for name, one in inner.items():
                role = words.role_of(name)
                if role in (words.TARGET, words.SOURCE, words.METAPHOR):
                    self.label(role, one, 1)
                elif label and (role in (label, words.ANSWER) or name.strip().lower() in _VALUE_KEYS[label]):
                    self.label(label, one, 1)
                    continue
                if isinstance(one, str):
                    texts[name] = one
            described = [text for name, text in texts.items() if name.strip().lower() in _TEXT_KEYS]
            into.extend(described or [f"{name}: {text}" for name, text in texts.items()])

    def evidence(self, inner: Any, kind: str) -> None:
        """Pieces of evidence: one text, a list, an object of kinds, or an object that is one piece."""
        if isinstance(inner, str):
            if inner.strip():
                self.piece(inner, kind, None)
        elif isinstance(inner, list):
            for one in inner:
                self.evidence(one, kind)
        elif isinstance(inner, dict):
            keys = {name.strip().lower(): name for name in inner}
            named = next((inner[keys[key]] for key in _KIND_KEYS if key in keys), None)
            by_kind = [name for name in inner if words.kind_of(name) and name.strip().lower() not in ("text", "文本")]
            told_kind = words.kind_of(named) if isinstance(named, str) else ""
            if not told_kind and by_kind:
                before = len(self.told.evidence)
                for name in inner:
                    if words.kind_of(name):
                        self.evidence(inner[name], words.kind_of(name))
                if any(name in keys for name in _BOX_KEYS) and len(self.told.evidence) == before + 1:
                    self._add_box(inner)
                return
            texts = [inner[keys[key]] for key in _TEXT_KEYS if key in keys and isinstance(inner[keys[key]], str)]
            boxes = [inner[keys[key]] for key in _BOX_KEYS if key in keys]
            if "box_2d" in keys and not boxes:
                self.told.flag(BOX_UNREAD)  # some who call it so give the top first
            if texts or boxes:
                self.piece(texts[0] if texts else "", told_kind or kind, boxes[0] if boxes else None)

    def _add_box(self, inner: dict[str, Any]) -> None:
        """The box of a piece whose text stands under its kind: `{"visual": "a chain", "box": […]}`."""
        written = next(inner[name] for name in inner if name.strip().lower() in _BOX_KEYS)
        last = self.told.evidence[-1]
        self.told.evidence[-1] = msgspec.structs.replace(last, box=self.box(written))

    def piece(self, text: str, kind: str, box: Any) -> None:
        if not kind:
            kind, text = kind_before(text)
        if not kind:
            self.told.flag(NO_KIND)
        self.told.evidence.append(Evidence(kind, text.strip(), self.box(box)))

    def box(self, written: Any) -> Box | None:
        """A box as it is written, with flags where it is none or no share of the picture."""
        box, flags = read_box(written)
        for flag in flags:
            self.told.flag(flag)
        return box


def kind_before(text: str) -> tuple[str, str]:
    """The kind that stands before a piece of evidence, "" if there is none, and the piece without it.

    >>> kind_before("[Visual] a gun"), kind_before("Text: every one"), kind_before("a gun: black")
    (('visual', 'a gun'), ('textual', 'every one'), ('', 'a gun: black'))
    """
    for pattern in (_LEAD, _IN_BRACKETS):
        lead = pattern.match(text)
        if lead and words.kind_of(lead[1]):
            return words.kind_of(lead[1]), text[lead.end() :]
    return "", text


_STAGE_NUMBER = re.compile(r"(?:stage|step|阶段|步骤|第)[ _.-]?([123一二三])(?:阶段|步)?")
_STAGES = dict(zip("123一二三", (words.EVIDENCE, words.MAPPING, words.WHY) * 2, strict=True))
"""What a stage is that is only numbered, in the order that was asked for."""
_IN_BRACKETS = re.compile(r"\W{0,8}?[(\[（【]([^\W\d_][\w \t-]{0,40})[)\]）】]\s{0,3}[:：-]?\s{0,3}")
_SAYS_EVIDENCE = re.compile(r"evidence|cue|element|证据|线索")
"""Outside of an explanation, a key such as `text` or `image` repeats the question."""
_VALUE_KEYS: dict[str, tuple[str, ...]] = {
    words.METAPHOR: (
        "present",
        "is_present",
        "presence",
        "exists",
        "detected",
        "occurrence",
        "是否存在",
        "存在",
        "判断",
    ),
    words.TARGET: ("domain", "name", "concept", "text", "entity", "word", "core", "内容", "名称"),
    words.SOURCE: ("domain", "name", "concept", "text", "entity", "word", "core", "内容", "名称"),
    words.SENTIMENT: ("polarity", "class", "category", "orientation", "极性", "类别", "倾向"),
}
_REASON_KEYS = ("reason", "why", "because", "description", "text", "理由", "原因", "描述")
_STAGE_KEYS = ("stage", "step", "name", "title", "type", "阶段", "步骤", "名称")
_KIND_KEYS = ("kind", "type", "modality", "channel", "category", "source", "类型", "模态", "种类")
_TEXT_KEYS = (
    *("text", "description", "content", "evidence", "detail", "details", "observation", "cue", "quote", "element"),
    *(
        "explanation",
        "what",
        "reason",
        "justification",
        "rationale",
        "内容",
        "描述",
        "文本",
        "说明",
        "证据",
        "解释",
        "label",
    ),
)
_BOX_KEYS = (
    *("box", "bbox", "bbox_2d", "bounding_box", "boundingbox", "region", "coordinates", "location"),
    *("position", "坐标", "边界框", "位置", "区域", "框"),
)
_LEAD = re.compile(r"[\W\d_]{0,8}([^\W\d_][\w \t-]{0,40}?)[*_\])）]{0,3}[ \t]{0,3}[:：][*_ \t]{0,4}")
