"""How far annotators agree: the models among themselves, the people, and the models with the people.

For each label of the form: the share of equal pairs, Fleiss' kappa and Krippendorff's alpha (nominal). A label that an
annotator was not asked (the target, where it says that there is no metaphor) is missing there, so that a row about
targets is about those who see a metaphor; `all labels` compares everything that was said at once, and there None is an
answer like any other. Fleiss' kappa needs the same number of ratings for each item: it is over the items that everybody
rated. The two others take all that two have rated.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

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
NO_LABELS = "this form has neither a choice nor a short text, which could be compared"
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


Rater = dict[str, list[Hashable]]
"""What somebody said of all items, as it is compared: label → a reading for each item, None where there is none."""


def agreement_of(project: Project) -> list[Group]:
    """All agreement figures: `models`, `people`, `models-people`, and `model-people/NAME` for each model."""
    if not any(is_label(field) for field in project.form.fields):
        return [Group("people", "", reason=NO_LABELS)]
    normalise = normaliser(project.form)
    keys = project.item_keys()
    decisions = saved_by_item(project)

    def rater(values: Iterable[Value | None]) -> Rater:
        return _rater(project.form, list(values), normalise)

    if project.form.mode == "shared":
        people = Group("people", "", reason=SHARED)
    else:
        each = {key: {one.person: one.value for one in decisions.get(key, [])} for key in keys}
        persons = sorted({person for said in each.values() for person in said})
        people = _among_people([rater(each[key].get(person) for key in keys) for person in persons])
    if not project.info.annotators:
        return [Group("models", "", reason=NO_MODELS), people]
    names = [one.name for one in project.annotators()]
    said = [{one.annotator: one.value for one in project.proposals(key) if not one.missing} for key in keys]
    models = [rater(one.get(number) for one in said) for number in range(len(names))]
    decided = rater(_value(outcome(project.form, decisions.get(key, []), normalise)) for key in keys)

    def with_people(name: str, about: str, one: Rater) -> Group:
        if not decisions:
            return Group(name, about, reason=UNDECIDED)
        return Group(name, about, _rows([one, decided]))

    settled = rater(_settled(project, key) for key in keys)
    return [
        Group("models", f"{len(names)} models among themselves", _rows(models)),
        people,
        with_people(MODELS_PEOPLE, "what the models settled, and what people decided", settled),
        *(
            with_people(f"{MODEL_PEOPLE}{name}", f"{name}, and what people decided", one)
            for name, one in zip(names, models, strict=True)
        ),
    ]


def saved_by_item(project: Project) -> dict[str, list[InForce]]:
    """The decisions that people have saved, by the key of their item."""
    found: dict[str, list[InForce]] = {}
    for one in project.in_force():
        if one.action == SAVE:
            found.setdefault(one.key, []).append(one)
    return found


def _among_people(persons: Sequence[Rater]) -> Group:
    if len(persons) < 2:
        return Group("people", "", reason="fewer than two people have decided anything")
    return Group("people", f"{len(persons)} people among themselves", _rows(persons))


def _value(found: Outcome | None) -> Value | None:
    return found.value if found is not None else None


def _settled(project: Project, key: str) -> Value | None:
    made = project.consensus(key)
    return value_of(made.labels) if made is not None else None


def _rater(form: Form, values: Sequence[Value | None], normalise: Normalise) -> Rater:
    """The readings of each label, and of all at once where nothing that was asked is missing."""
    labels = [field for field in form.fields if is_label(field)]
    made: Rater = {
        field.name: [reading(field, value, normalise) if value is not None else None for value in values]
        for field in labels
    }
    together = zip(values, zip(*made.values(), strict=True), strict=True)
    made[ALL_LABELS] = [
        said if value is not None and _is_complete(labels, value, said) else None for value, said in together
    ]
    return made


def _is_complete(labels: Sequence[Field], value: Value, said: Sequence[Hashable]) -> bool:
    return all(what is not None or not is_asked(field, value) for field, what in zip(labels, said, strict=True))


def _rows(raters: Sequence[Rater]) -> tuple[Row, ...]:
    return tuple(_row(name, [one[name] for one in raters]) for name in raters[0])


def _row(name: str, ratings: list[list[Hashable]]) -> Row:
    by_all = [column for column in zip(*ratings, strict=True) if None not in column]
    fleiss = fleiss_kappa(list(zip(*by_all, strict=True))) if by_all else Agreement(None, 0, NOBODY_ALL)
    return Row(name, len(ratings), raw_agreement(ratings), fleiss, krippendorff_alpha(ratings, "nominal"))
