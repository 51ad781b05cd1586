"""What an extractor model is asked: to read the final answer out of a response.

The authors' extractor prompts (one a task, with a worked example) are theirs; these are OUR words. A user who wants the
authors' passes a file with `--extractor-prompt`.
"""

from __future__ import annotations

import re

from beholder.benchmarks.benchmark import JudgeTask
from beholder.extract.extraction import Extraction
from beholder.extract.think import split_thought
from beholder.sample import (
    ChoiceTarget,
    NumberSetTarget,
    NumberTarget,
    OrderedListTarget,
    PlaceTarget,
    Response,
    Sample,
    TextPart,
)

QUESTION, RESPONSE, FORM = "{question}", "{response}", "{form}"

TEMPLATE = """\
A model was asked a question about pictures that you do not see. Read its response and write down the final answer \
that the response gives. Do not answer the question yourself, do not correct the response, and write nothing but the \
answer. If the response changes its mind, its last answer counts. If it gives no answer, write None.

Form of the answer: {form}

<question>
{question}
</question>

<response>
{response}
</response>

The final answer in the response:"""


def needs_extraction(sample: Sample, response: Response) -> bool:
    """Whether the authors' scorer looks at an extracted answer of this item: at all but Rotated OCR's."""
    return response.failure is None and sample.metadata.get("task") != "ocr"


def extraction_prompt(sample: Sample, response: Response, template: str = TEMPLATE) -> str:
    """The question put to the extractor. A template may hold `{question}`, `{response}` and `{form}`."""
    question = sample.question
    said = {QUESTION: question, RESPONSE: response.text or "", FORM: _form(sample)}
    return re.sub(r"\{(?:question|response|form)\}", lambda name: said[name.group()], template)


def _form(sample: Sample) -> str:
    match sample.target:
        case ChoiceTarget(several=False):
            return "the letter of the chosen option, such as B."
        case ChoiceTarget():
            return "the letters of all chosen options without anything between them, such as ACD."
        case NumberTarget():
            return "the number alone, without its unit, such as 12 or 3.5."
        case PlaceTarget():
            return "[row, column], such as [2, 5]."
        case NumberSetTarget() | OrderedListTarget():
            return "the list of numbers in the order given, such as [2, 5, 7]."
        case _:
            return "the words of the answer."


def only_the_answer(text: str) -> Extraction[str]:
    """The extractor's reply without its thinking; all that is left is the answer, as the authors take it."""
    said = split_thought(text).answer.strip()
    return Extraction(said) if said else Extraction(None, reason="The extractor thought, but wrote no answer.")


EXTRACTOR = JudgeTask(
    purpose="extraction",
    title="reads the answer out of a response",
    template=TEMPLATE,
    placeholders=(RESPONSE,),
    prompt=lambda sample, response, template: (TextPart(extraction_prompt(sample, response, template)),),
    needs=needs_extraction,
    read=lambda sample, response, text: only_the_answer(text),
)
