"""A metaphor annotation out of prose: labelled lines, tables, headings and plain sentences, in English and Chinese.

All functions take the answer as it is written (`text`) and its plain form in lower case (`low`), of the same length.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

import msgspec
from msgspec import UNSET

from beholder.annotation import LABELS, TEXTUAL, VISUAL, Evidence
from beholder.extract import metaphor_words as words
from beholder.extract.distance import distanced
from beholder.extract.markup import answer_tags, is_blank, plain
from beholder.extract.metaphor_box import BOX_NOT_SHARE, read_box
from beholder.extract.metaphor_tree import NO_KIND, Said, Told, Value, kind_before

_MOST = 500
"""Labels that are looked at in one answer: the last ones."""

_STAGE = (
    r"(?:(?:stage|step|phase|part|阶段|步骤)[ \t]?[0-9一二三]{1,2}|第[一二三]阶段|第[一二三]步)"
    r"[ \t]{0,2}[:.)(–—-]{0,2}[ \t]{0,2}"
)
_FIELD = re.compile(
    r"(?:\A|(?<=[\n;,/|.(:!?>。；，、！？]))[^\w\n]{0,24}+(?:[0-9]{1,2}[.)、:][^\w\n]{0,6}|[一二三四五六][、.][^\w\n]{0,6}+)?"
    rf"(?P<stage>{_STAGE})?"
    r"(?:(?:the|overall|core|final|primary|main|identified|predicted)[ \t]{1,2}|整体|总体|最终|核心|主要)?"
    rf"(?P<name>{words.NAME_PATTERN})[ \t]{{0,6}}(?:[(\[][^()\[\]\n]{{0,40}}[)\]][ \t]{{0,6}})?\)?[ \t]{{0,4}}"
    r"(?:(?P<sep>[:=|][ \t|:]{0,12}|\.(?= {2})|(?<=[ \t])[–—-](?=[ \t])|\?[ \t]{0,4}"
    r"|(?<=[\u4e00-\u9fff])(?:是|为)[:：]?[ \t]{0,4})|(?P<alone>[^\w\n]{0,6}(?=\n|\Z)))"
)
_SENTENCE = re.compile(
    words.loose(
        r"(?<![a-z])(?P<name>target|source|tenor|vehicle)(?: (?:domain|concept|entity|of the metaphor|of this metaphor|"
        r"of the mapping|here)){0,2},? (?:is|would be|is clearly|is identified as|can be identified as) "
        r"(?!(?:not|used|compared|seen|shown|depicted|presented|described|represented|understood|often|also|then|being|what|"
        r"that|portrayed|likened|linked|unclear|mapped|viewed|clear|obvious|missing|absent)\b)"
        r"|(?P<zh>目标域|源域|来源域|目标概念|源概念|本体|喻体|(?<=的)目标|(?<=的)源)(?:是|为)[:：]?"
    )
)
_SENTENCE_END = re.compile(
    r"[,;\n。；，]|[.!](?=\s|\Z)|\s(?:and|while|whereas|but|with)\s(?=the\s|its\s|an?\s(?:source|target|sentiment))|\s(?:which|because|since)\s"
    r"|\s[(–—-]"
)
_FEELING = re.compile(
    words.loose(
        r"\b(?:sentiment|tone|attitude|emotion)(?: (?:conveyed|expressed|of|by|in|the|this|that|overall|image|picture|"
        r"ad|pair|text|and|post|poster|advertisement|here|image-text)){0,9} (?:is|as|would be|remains|seems to be) "
        r"(?:[a-z]{2,12}ly |most |best |described as |classified as |labell?ed |considered ){0,3}"
        r"(?P<en>positive|negative|neutral|mixed)\b(?! (?:or|to|and)\b)"
        r"|\b(?:conveys?|expresse?s?|carries|has|evokes|creates|with) an? "
        r"(?:[a-z]{2,12}ly |overall |clear |strong ){0,2}"
        r"(?P<en2>positive|negative|neutral|mixed) (?:sentiment|tone|attitude|emotion)\b"
        r"|(?:情感|情绪|态度|基调)[^。,，\n;否]{0,10}?(?:是|为|属于|偏|偏向)(?P<zh>积极|正面|正向|消极|负面|负向|中性|中立|混合)"
    )
)
_CUT = re.compile(
    r"\s[–—-]\s|\s?[(（]|;|。|；|[.!](?=\s|\Z)|,?\s(?:because|since|which)\b|[,，](?:因为|即|也就是)|,\s{1,3}[a-z]{2,20}\s{0,2}[=:]\s|\s{2,}(?=[a-z]{3,12}\s?:)"
)
_TO_NEXT = re.compile(r"\s{0,4}(?:→|⇒|➔|[-=]>)\Z")
"""An arrow that points from one field to the next: "Target: smoking → Source: a gun"."""
_LETTER = re.compile(r"(?:\A|(?<=[\n,;(|]))[^\w\n]{0,6}([mtse])[ \t]{0,3}[:=][ \t]{0,3}([^,;\n)|]{1,80})")
_TUPLE = re.compile(
    r"\(\s{0,3}(yes|no)\s{0,3},\s{0,3}([^,()\n]{1,80}?)\s{0,3},\s{0,3}([^,()\n]{1,80}?)\s{0,3},"
    r"\s{0,3}(positive|neutral|negative)\s{0,3}\)"
)
_BY_LETTER = dict(zip("mtse", LABELS, strict=True))
_CLAUSE = re.compile(r"[.!;\n。！；](?=\s|\Z|[^\x00-\x7f])")
_LONG = 40
"""A field of a label whose text is longer than this and says nothing of the label is about something else."""
_OPENS = re.compile(
    r"\W{0,20}(?:(?:the )?answer(?: is|\s?:)\W{0,6})?(yes\b|no\b|是的?|不是|否)(?=\s{0,4}[,.;:!(\n—–。，；]|\s-\s)"
)
_BULLET = re.compile(r"[ \t]{0,12}(?:[-*•·–+>|#][ \t]{0,4}){0,4}(?:[0-9]{1,2}[.)、][ \t]{0,4})?")
_BOX_AT_END = re.compile(
    r"[\s(:：,;—–-]{0,4}(?:(?:box|bbox|region|位置)\s{0,2}[:=：]?\s{0,2})?(\[[-0-9., ]{7,90}\])[\s).;。]{0,4}\Z", re.I
)
_TAGGED = re.compile(r"<([^\W\d][\w -]{0,30})>([^<>]{0,2000})</\1>")
_VISIBLE = re.compile(r"[^\n]")
_ROWS = re.compile(r"[ \t]{0,3}\|?[ \t]{0,3}:?-{2,}[-:| \t]{0,80}")


class _Field(msgspec.Struct, frozen=True, gc=False):
    """A name that is written before a text: what it names, where its line begins (`start`), the name itself (`at`), the
    text (`end`), and where the text ends (`until`)."""

    role: str
    name: str
    start: int
    at: int
    end: int
    until: int
    own_line: bool
    staged: bool


def shown(text: str) -> str:
    """The plain form of an answer, in lower case; a tag or box around it begins a line."""
    low = words.simple(plain(text).lower())
    pieces, at = [], 0
    for tag in answer_tags(text):
        start = text.rfind("<", at, tag.start)
        pieces += [low[at:start], "\n".ljust(tag.start - start)]
        at = tag.start
    low = "".join([*pieces, low[at:]])
    return low.replace("\\boxed", "\n     ")


def read_prose(text: str, low: str, told: Told, *, explain: bool) -> None:
    """Adds what an answer says in prose: labels, and the stages of the explanation where `explain`."""
    low = _rows(text, low, told)
    fields = list(_fields(text, low))
    mapped = _in_mapping(fields)
    said = [field for field in fields if field.role in LABELS]
    first_stage = min((field.at for field in fields if _begins_stage(field, text)), default=len(text))
    taken = set()
    for field in said:
        value = _value(field, text)
        late = field.role == words.SENTIMENT and (field.staged or field.at > first_stage)
        if isinstance(value, _Nothing) or (late and not (isinstance(value, str) and _alone(text, field))):
            continue
        taken.add(field.start)
        end = _CLAUSE.search(low, field.end, field.until)
        rank = 1 if field.role in (words.TARGET, words.SOURCE) and field.at in mapped else 0
        told.claims.append(Said(field.role, value, field.at, end.start() if end else field.until, rank))
    if not told.claims:
        told.claims += _letters(text, low)
    told.claims += _sentences(text, low)
    _tagged(text, told, explain=explain)
    if explain:
        _explain(text, [field for field in fields if field.start not in taken], fields, told)


def _rows(text: str, low: str, told: Told) -> str:
    """Adds the labels of the first table whose first row names them; the text with that table blanked."""
    at = 0
    lines = low.split("\n")
    for number, line in enumerate(lines):
        roles = [words.role_of(cell) for cell in _cells(line)] if line.count("|") > 1 else []
        if sum(role in LABELS for role in roles) > 1:
            end = at + len(line)
            rule = lines[number + 1] if number + 1 < len(lines) else ""
            start = end + 1 + (len(rule) + 1 if _ROWS.fullmatch(rule) else 0)
            stop = low.find("\n", start) if "\n" in low[start:] else len(low)
            cells = _cells(text[start:stop])
            if len(cells) == len(roles):
                told.claims += [
                    Said(role, _by_label(role, cell), start, stop)
                    for role, cell in zip(roles, cells, strict=True)
                    if role in LABELS and cell.strip()
                ]
            return low[:at] + _VISIBLE.sub(" ", low[at:stop]) + low[stop:]
        at += len(line) + 1
    return low


def _cells(line: str) -> list[str]:
    return line.strip().strip("|").split("|")


def _in_mapping(fields: list[_Field]) -> set[int]:
    """Where the fields stand whose last heading is the mapping: they say again what target and source are."""
    found = set()
    stage = ""
    for field in fields:
        if field.role not in LABELS and field.own_line:
            stage = field.role
        elif field.role in (words.METAPHOR, words.SENTIMENT):
            stage = ""
        elif stage == words.MAPPING:
            found.add(field.at)
    return found


def _begins_stage(field: _Field, text: str) -> bool:
    """Whether a field is a stage of the explanation: on a line of its own, or a key of JSON that cannot be mended."""
    return field.role not in LABELS and (field.own_line or text[field.at - 1 : field.at] == '"')


def _tagged(text: str, told: Told, *, explain: bool) -> None:
    """Labels and stages in tags of their own: `<target>smoking</target>`."""
    for match in list(_TAGGED.finditer(text))[-_MOST:]:
        role = words.role_of(match[1])
        if role in LABELS:
            told.claims.append(Said(role, _by_label(role, match[2]), *match.span()))
        elif explain and role == words.MAPPING:
            told.mapping.append(match[2])
        elif explain and role == words.WHY:
            told.why.append(match[2])
        elif explain and role in (words.EVIDENCE, VISUAL, TEXTUAL):
            _piece(match[2], words.kind_of(match[1]), told)


class _Nothing:
    """Says that a field holds nothing about its label."""


_NOTHING = _Nothing()


def _fields(text: str, low: str) -> Iterator[_Field]:
    """The named fields of an answer, each up to the next one or the end of its line (a heading: of the next line)."""
    matches = list(_FIELD.finditer(low))[-_MOST:]
    for position, match in enumerate(matches):
        following = matches[position + 1].start() if position + 1 < len(matches) else len(low)
        begin = match.end() if match["sep"] is None else _past_marks(text, match.start("sep") + 1, match.end())
        role = words.role_of(match["name"])
        if match["stage"] and role == words.SENTIMENT:
            role = words.WHY
        if match["alone"] is not None or not low[begin : begin + 200].split("\n")[0].strip(" |"):
            filled = _FILLED.match(low, begin)
            begin = filled.end() if filled and filled.end() <= following else begin
        newline = low.find("\n", begin)
        until = min(following, newline if newline >= 0 else len(low))
        own_line = match.start() == 0 or low[match.start() - 1] == "\n"
        if _SHARED.search(low, max(0, match.start() - 16), match.start()):
            continue
        weak = match["alone"] is not None or match["sep"][:1] in ".–—-"
        if weak and not own_line:
            continue
        staged = bool(match["stage"])
        yield _Field(role, match["name"], match.start(), match.start("name"), begin, until, own_line or staged, staged)


_SHARED = re.compile(r"(?:target|source|tenor|vehicle|domain|目标域?|源域?|本体|喻体)\s?/\Z")
"""Before a name: a name that shares its text, as in "Target/Source: time / a thief", which gives neither."""


def _past_marks(text: str, at: int, end: int) -> int:
    """Where a field's text begins after its separator: past blanks and emphasis, but not past a quotation mark."""
    while at < end and text[at] in " \t*_|:：":
        at += 1
    return at


_FILLED = re.compile(r"(?:[^\w\n]{0,40}\n){1,3}(?=[^\n]{0,40}?\w)")


def _value(field: _Field, text: str) -> Value | _Nothing:
    """What a field says of its label; `_NOTHING` if its text is empty or about something else."""
    raw = text[field.end : field.until]
    if is_blank(raw.strip(" |,;/")):
        return _NOTHING
    if field.role in (words.TARGET, words.SOURCE):
        return _json_slot(raw) if text[field.at - 1 : field.at] == '"' else slot_of(raw)
    value: Value = words.metaphor_word(raw) if field.role == words.METAPHOR else words.feeling_word(raw)
    return _NOTHING if not isinstance(value, bool | str) and len(raw.strip()) > _LONG else value


def _json_slot(raw: str) -> Value:
    """What stands after a quoted key of an object that could not be mended: a quoted text or null."""
    match = _JSON_SLOT.match(raw)
    if match is None:
        return UNSET
    return None if match[1] is None else words.slot_words(match[1])


_JSON_SLOT = re.compile(r"\s{0,20}(?:\"([^\"\\\n]{0,400})\"|null\b)")


def _alone(text: str, field: _Field) -> bool:
    """Whether a field holds hardly more than one word, as a label does and a stage of an explanation does not."""
    return len(text[field.end : field.until].split()) <= 2 and len(text[field.end : field.until].strip()) <= 16


def slot_of(raw: str) -> Value:
    """The words of a target or source that stand before an explanation: `smoking (the habit)`, "a gun, because …"."""
    words_first = _TO_NEXT.sub("", raw.strip().lstrip(":=|").strip().rstrip(" \t|,;/、，；").rstrip())
    cut = _CUT.search(words_first)
    core = words_first[: cut.start()] if cut and cut.start() else words_first
    for opener, closer in ("()", "{}"):  # "(target: time, source: a thief)"
        if core.endswith(closer) and opener not in core:
            core = core[:-1]
    told = words.slot_words(core.strip().strip("*_").strip().rstrip(".。,;"))
    return told if told is not None or core.strip() else words.slot_words(words_first)


def _sentences(text: str, low: str) -> Iterator[Said]:
    """Labels that whole sentences give: "the target is …", "it conveys a negative sentiment", "this is a metaphor"."""
    opening = _OPENS.match(low)
    if opening:
        yield Said(words.METAPHOR, opening[1] in ("yes", "是", "是的"), *opening.span(1), 1)
    for claim in words.statements(low):
        yield Said(words.METAPHOR, claim.value, claim.start, claim.end, 1)
    for match in list(_SENTENCE.finditer(low))[-_MOST:]:
        if distanced(low, match.start()):
            continue
        end = _SENTENCE_END.search(low, match.end(), match.end() + 90)
        stop = end.start() if end else min(len(low), match.end() + 90)
        raw = text[match.end() : stop]
        if end is not None or stop == len(low):
            yield Said(words.role_of(match["name"] or match["zh"]), slot_of(raw), match.start(), stop, 1)
    for match in list(_FEELING.finditer(low))[-_MOST:]:
        if not distanced(low, match.start()):
            value = words.feeling_word(match["en"] or match["en2"] or match["zh"])
            yield Said(words.SENTIMENT, value, *match.span(), 1)


def _letters(text: str, low: str) -> list[Said]:
    """The paper's own notation: `m = Yes, t = smoking, s = a gun, e = Negative`, or the four in brackets."""
    whole = _TUPLE.search(low)
    if whole:
        pieces = zip(LABELS, (text[slice(*whole.span(group))] for group in range(1, 5)), strict=True)
        return [Said(label, _by_label(label, piece), *whole.span()) for label, piece in pieces]
    found = list(_LETTER.finditer(low))[-_MOST:]
    made = [Said(_BY_LETTER[m[1]], _by_label(_BY_LETTER[m[1]], text[slice(*m.span(2))]), *m.span()) for m in found]
    anchors = {one.label for one in made if isinstance(one.value, bool | str)} & {words.METAPHOR, words.SENTIMENT}
    return made if anchors and len({one.label for one in made}) > 1 else []


def _by_label(label: str, raw: str) -> Value:
    if label == words.METAPHOR:
        return words.metaphor_word(raw)
    return words.feeling_word(raw) if label == words.SENTIMENT else slot_of(raw)


# The explanation ---------------------------------------------------------------------------------------------------


def _explain(text: str, open_fields: list[_Field], fields: list[_Field], told: Told) -> None:
    """The stages, each from its name to the next name that begins a line."""
    starts = [field.start for field in fields if field.own_line]
    for field in open_fields:
        if not field.own_line or field.role == words.METAPHOR:
            continue
        after = bisect_right(starts, field.start)
        stop = starts[after] if after < len(starts) else len(text)
        section = _section(text[field.end : stop], cut=after < len(starts))
        if not any(char.isalnum() for char in section):
            continue
        if field.role in (words.EVIDENCE, VISUAL, TEXTUAL):
            for line in section.split("\n")[:_MOST]:
                _piece(line, words.kind_of(field.name), told)
        elif field.role == words.MAPPING:
            told.mapping.append(_paragraph(section))
        elif field.role in (words.WHY, words.SENTIMENT):
            told.why.append(_paragraph(section))
        elif field.role == words.EXPLANATION:
            told.loose.append(_paragraph(section))


def _section(raw: str, *, cut: bool) -> str:
    """The lines of a section; the last one is left out where it only holds what stands before the next name."""
    lines = raw.split("\n")
    if cut and len(lines) > 1 and not any(char.isalpha() for char in lines[-1]):
        lines = lines[:-1]
    return "\n".join(line for line in lines if not _ROWS.fullmatch(line.rstrip())).strip("\n")


def _paragraph(section: str) -> str:
    return "\n".join(filter(None, (_unmarked(line) for line in section.split("\n"))))


def _unmarked(line: str) -> str:
    bullet = _BULLET.match(line)
    return line[bullet.end() if bullet else 0 :].strip().strip("*_#|").strip()


def _piece(line: str, kind: str, told: Told) -> None:
    """One line of evidence, with a box at its end where there is one."""
    piece = _unmarked(line)
    at_end = _BOX_AT_END.search(piece[-120:])
    box = None
    if at_end:
        box, flags = read_box(at_end[1])
        for flag in flags:
            if flag == BOX_NOT_SHARE:
                told.flag(flag)
        if box is not None:
            piece = piece[: len(piece) - len(piece[-120:]) + at_end.start()].rstrip()
    if any(char.isalnum() for char in piece):
        if not kind:
            kind, piece = kind_before(piece)
        if not kind:
            told.flag(NO_KIND)
        told.evidence.append(Evidence(kind, piece, box))
