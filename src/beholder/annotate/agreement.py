"""How far annotators agree: the models among themselves, the people, and the models with the people.

For each label of the form: the share of equal pairs, Fleiss' kappa and Krippendorff's alpha (nominal). A label that an
annotator was not asked (the target, where it says that there is no metaphor) is missing there, so that a row about
targets is about those who see a metaphor; `all labels` compares everything that was said at once, and there None is an
answer like any other. Fleiss' kappa needs the same number of ratings for each item: it is over the items that everybody
rated. The two others take all that two have rated.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import msgspec

from beholder.annotate.decisions import InForce
from beholder.annotate.forms import Field, Form, Value, is_asked
from beholder.annotate.items import SAVE
from beholder.annotate.metaphors import value_of
from beholder.annotate.people import Normalise, Outcome, is_label, normaliser, outcome, reading
from beholder.annotate.project import Project
from beholder.metrics.agreement import Agreement, fleiss_kappa, krippendorff_alpha, raw_agreement

ALL_LABELS = "all labels"
SHARED = "in this form all share one decision, so that no item was decided by two people"
NO_MODELS = "no models have proposed anything"
NOBODY_ALL = "no item was rated by all"
UNDECIDED = "nobody has decided anything yet"
MODELS_PEOPLE, MODEL_PEOPLE = "models-people", "model-people/"
"""Groups: what the models settled with what people decided; and (with its name behind) one model with people."""
SEEN = "People saw what the models proposed before they decided: their agreement with models is not independent."


class Row(msgspec.Struct, frozen=True):
    """The agreement of some raters on one label. Coefficients that are not defined say why."""

    field: str
    raters: int
    raw: Agreement
    fleiss: Agreement
    alpha: Agreement


class Group(msgspec.Struct, frozen=True, omit_defaults=True):
    """Rows about one set of raters. `about` says who they are; without rows, `reason` says why there are none."""

    name: str
    about: str
    rows: tuple[Row, ...] = ()
    reason: str = ""


def agreement_of(project: Project) -> list[Group]:
    """All agreement figures: `models`, `people`, `models-people`, and `model-people/NAME` for each model."""
    normalise = normaliser(project.form)
    keys = project.item_keys()
    decisions = saved_by_item(project)
    values = {key: {one.author: one.value for one in decisions.get(key, [])} for key in keys}
    people = _among_people(project.form, keys, values, normalise)
    models = [{one.annotator: one.value for one in project.proposals(key) if not one.missing} for key in keys]
    if not project.info.annotators:
        return [Group("models", "", reason=NO_MODELS), people]
    names = [one.name for one in project.annotators()]
    by_model = [[said.get(number) for said in models] for number in range(len(names))]
    decided = [_value(outcome(project.form, decisions.get(key, []), normalise)) for key in keys]
    settled = [_settled(project, key) for key in keys]

    def group(name: str, about: str, raters: Sequence[Sequence[Value | None]]) -> Group:
        if decided in raters and not decisions:
            return Group(name, about, reason=UNDECIDED)
        return Group(name, about, _rows(project.form, raters, normalise))

    return [
        group("models", f"{len(names)} models among themselves", by_model),
        people,
        group(MODELS_PEOPLE, "what the models settled, and what people decided", [settled, decided]),
        *(
            group(f"{MODEL_PEOPLE}{name}", f"{name}, and what people decided", [said, decided])
            for name, said in zip(names, by_model, strict=True)
        ),
    ]


def saved_by_item(project: Project) -> dict[str, list[InForce]]:
    """The decisions that people have saved, by the key of their item."""
    found: dict[str, list[InForce]] = {}
    for one in project.in_force():
        if one.action == SAVE:
            found.setdefault(one.key, []).append(one)
    return found


def _among_people(form: Form, keys: Sequence[str], values: dict[str, dict[str, Value]], normalise: Normalise) -> Group:
    if form.mode == "shared":
        return Group("people", "", reason=SHARED)
    names = sorted({name for said in values.values() for name in said})
    if len(names) < 2:
        return Group("people", "", reason="fewer than two people have decided anything")
    raters = [[values[key].get(name) for key in keys] for name in names]
    return Group("people", f"{len(names)} people among themselves", _rows(form, raters, normalise))


def _value(found: Outcome | None) -> Value | None:
    return found.value if found is not None else None


def _settled(project: Project, key: str) -> Value | None:
    made = project.consensus(key)
    return value_of(made.labels) if made is not None else None


def _rows(form: Form, raters: Sequence[Sequence[Value | None]], normalise: Normalise) -> tuple[Row, ...]:
    labels = [field for field in form.fields if is_label(field)]

    def one(field: Field) -> Callable[[Value], Hashable]:
        return lambda value: reading(field, value, normalise)

    def everything(value: Value) -> Hashable:
        said = tuple(reading(field, value, normalise) for field in labels)
        complete = all(what is not None or not is_asked(field, value) for field, what in zip(labels, said, strict=True))
        return said if complete else None

    asked = [(field.name, one(field)) for field in labels] + [(ALL_LABELS, everything)]
    return tuple(_row(name, raters, read) for name, read in asked)


def _row(name: str, raters: Sequence[Sequence[Value | None]], read: Callable[[Value], Hashable]) -> Row:
    ratings = [[read(value) if value is not None else None for value in row] for row in raters]
    by_all = [column for column in zip(*ratings, strict=True) if None not in column]
    fleiss = fleiss_kappa(list(zip(*by_all, strict=True))) if by_all else Agreement(None, 0, NOBODY_ALL)
    return Row(name, len(raters), raw_agreement(ratings), fleiss, krippendorff_alpha(ratings, "nominal"))
