"""Tables of the words that `beholder.extract.lead` walks back over."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a text, for tables that read as text."""
    return frozenset(text.split())


# What is spoken of.
ANSWER = word_set(
    "answer answers option options choice choices letter solution verdict judgment judgement conclusion result"
    " determination decision response evaluation assessment label value correctness selection output prediction ans"
    " pick guess truthfulness veracity"
)
STATEMENT = word_set("statement claim assertion proposition sentence premise question")
PRONOUN = word_set("it this that")
NOUNS = ANSWER | STATEMENT | PRONOUN
PARTIAL = word_set(
    "part half portion aspect parts side element wording premise opposite reverse converse inverse negation"
)
OFFERED = word_set("options choices")
OFFER = word_set("option options choice choices")
CHOSEN = word_set("correct right final my selected chosen best only")
WRONG = word_set("wrong incorrect other not possible eliminated remaining excluded")
NOT_MEANT = word_set("his her their first second third wrong incorrect other possible worst least alternative")
BESIDE = word_set("answer answers verdict judgment judgement conclusion")
LABELS = word_set("tf therefore thus so hence is choose conclude selected status assistant")
DETERMINER = word_set(
    "the this that a given final correct right my our your provided above overall entire whole main following best most"
    " appropriate accurate single only true false t f / or ' ( ) current likely probable plausible suitable logical"
    " reasonable fitting closest"
)
BETWEEN = word_set(
    "that ' about regarding claiming suggesting stating saying in given provided of on here above below itself as ( ,"
    " which being presented made describing concerning to for number # based would should 1 2 3 4 5 6 7 8 9 10"
    " choice option therefore thus"
)
CORRECT = word_set("correct matching missing best")

# Words that say nothing of their own.
FILL = word_set(
    "definitely likely most probably clearly therefore thus hence so indeed actually also a an option options choice as"
    " ultimately overall obviously certainly simply either then here both just surely very consequently"
    " accordingly finally figure image picture panel point statement's best ( [ ' , - – — / < > yes no okay ok sure"
    " well"
    " without doubt any"
)
FILLING_PAIRS = frozenset(
    (
        ("in", "fact"),
        ("in", "conclusion"),
        ("in", "summary"),
        ("in", "short"),
        ("in", "reality"),
        ("at", "all"),
        ("i'd", "say"),
    )
)
PAUSE = frozenset(("", ",", "and", "-", "–", "—"))
SO = word_set("so therefore thus hence but")
HEDGES = word_set(
    "partly partially mostly largely necessarily hardly barely nearly possibly supposedly allegedly seemingly"
    " potentially"
    " unlikely superficially mainly primarily"
)
DECIDED = word_set(
    "considered deemed judged classified labeled labelled marked rated regarded evaluated seen taken assessed"
)
DEGREE = word_set("entirely completely fully quite strictly exactly totally wholly really actually 100 %")

# Negations.
NEGATION = word_set("not never isn't isnt wasn't aren't cannot can't doesn't don't wouldn't ain't")
MERELY = word_set("just only merely simply solely")
NEGATED_VERB = word_set("isn't isnt wasn't aren't ain't")
NEGATING_PAIRS = frozenset(
    (("far", "from"), ("anything", "but"), ("no", "longer"), ("nowhere", "near"), ("opposite", "of"))
)
DENIALS = word_set("false untrue true case")
"""Before `that` or `to say` they speak of what follows: "it is false that the statement is true"."""

# Verbs and labels.
VERB = word_set("is was are were be appears seems remains holds stands evaluates proves becomes hold appear seem")
FIRM = word_set("would should must will has ought shall")
AUXILIARY = FIRM | word_set(") ] : do does did turns turned")
WEAK = word_set("could might may can")
TO_BE = word_set("appears seems proves out found shown known")
HAS_TO_BE = word_set("has have needs need ought got")
LABEL = word_set(": = ：")
DASH = word_set("- – — > |")
CHOOSE = word_set("choose chose select selected pick picked choosing selecting picking answering chosen mark go")
CHOSE = word_set("chose selected picked chooses selects picks chosen")
CHOOSE_TWO = frozenset((("go", "with"), ("going", "with"), ("went", "with"), ("opt", "for"), ("opting", "for")))
OPINE = word_set("say said guess think believe suspect towards toward vote")
OPINE_TWO = frozenset((("lean", "to"), ("leaning", "to"), ("vote", "for"), ("believe", "in")))
FIRST_PERSON = word_set("i we i'd i'll i'm we'd we'll i've me us")
GIVES = word_set("get gives yields leaves get gets obtain have matches")
GIVES_TWO = frozenset(
    (("us", "with"), ("corresponds", "to"), ("points", "to"), ("leads", "to"), ("back", "to"), ("down", "to"))
)
MAKES = word_set("call makes make making made renders rendering render find finds deem judge consider mark rate")
THINKS = word_set("believe say agree feel consider find deem judge think hold take conclude")
SUBORDINATE = word_set("if whether unless although though while suppose assuming assume were until when")
WONDER = word_set("determine decide determining deciding evaluate evaluating assess assessing check verify")
