"""Tables of the words that `beholder.extract.lead` walks back over."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What is spoken of.
ANSWER = _words(
    "answer answers option options choice choices letter solution verdict judgment judgement conclusion result"
    " determination decision response evaluation assessment label value correctness selection output prediction ans pick"
)
STATEMENT = _words("statement claim assertion proposition sentence premise question")
PRONOUN = _words("it this that")
NOUNS = ANSWER | STATEMENT | PRONOUN
PARTIAL = _words("part half portion aspect parts side element wording premise opposite reverse converse inverse negation")
OFFERED = _words("options choices")
OFFER = _words("option options choice choices")
CHOSEN = _words("correct right final my selected chosen best only")
WRONG = _words("wrong incorrect other not possible eliminated remaining excluded")
NOT_MEANT = _words("his her their first second third wrong incorrect other possible worst least alternative")
BESIDE = _words("answer answers verdict judgment judgement conclusion")
LABELS = _words("tf therefore thus so hence is choose conclude selected status assistant")
DETERMINER = _words(
    "the this that a given final correct right my our your provided above overall entire whole main following best most"
    " appropriate accurate single only true false t f / or ' ( ) current likely probable plausible suitable logical"
    " reasonable fitting closest"
)
BETWEEN = _words(
    "that ' about regarding claiming suggesting stating saying in given provided of on here above below itself as ( ,"
    " which being presented made describing concerning to for number # based would should 1 2 3 4 5 6 7 8 9 10"
    " choice option therefore thus"
)
CORRECT = _words("correct matching missing best")

# Words that say nothing of their own.
FILL = _words(
    "definitely likely most probably clearly therefore thus hence so indeed actually also a an option options choice as"
    " ultimately overall obviously certainly simply either then here both just surely very consequently"
    " accordingly finally figure image picture panel point statement's best ( [ ' , - – — / < > yes no okay ok sure well"
    " without doubt any"
)
FILLING_PAIRS = frozenset(
    (("in", "fact"), ("in", "conclusion"), ("in", "summary"), ("in", "short"), ("in", "reality"), ("at", "all"), ("i'd", "say"))
)
SO = _words("so therefore thus hence but")
HEDGES = _words(
    "partly partially mostly largely necessarily hardly barely nearly possibly supposedly allegedly seemingly potentially"
    " unlikely superficially mainly primarily"
)
DECIDED = _words(
    "considered deemed judged classified labeled labelled marked rated regarded evaluated seen taken assessed"
)
DEGREE = _words("entirely completely fully quite strictly exactly totally wholly really actually 100 %")

# Negations.
NEGATION = _words("not never isn't isnt wasn't aren't cannot can't doesn't don't wouldn't ain't")
NEGATED_VERB = _words("isn't isnt wasn't aren't ain't")
NEGATING_PAIRS = frozenset(
    (("far", "from"), ("anything", "but"), ("no", "longer"), ("nowhere", "near"), ("opposite", "of"))
)
DENIALS = _words("false untrue true case")
"""Before `that` or `to say` they speak of what follows: "it is false that the statement is true"."""

# Verbs and labels.
VERB = _words("is was are were be appears seems remains holds stands evaluates proves becomes hold appear seem")
FIRM = _words("would should must will has ought shall")
AUXILIARY = FIRM | _words(") ] : do does did turns turned")
WEAK = _words("could might may can")
TO_BE = _words("appears seems proves out found shown known")
HAS_TO_BE = _words("has have needs need ought got")
LABEL = _words(": = ：")
DASH = _words("- – — > |")
CHOOSE = _words("choose chose select selected pick picked choosing selecting picking answering chosen mark go")
CHOSE = _words("chose selected picked chooses selects picks chosen")
CHOOSE_TWO = frozenset((("go", "with"), ("going", "with"), ("went", "with"), ("opt", "for"), ("opting", "for")))
OPINE = _words("say said guess think believe suspect towards toward vote")
OPINE_TWO = frozenset((("lean", "to"), ("leaning", "to"), ("vote", "for"), ("believe", "in")))
FIRST_PERSON = _words("i we i'd i'll i'm we'd we'll i've me us")
GIVES = _words("get gives yields leaves get gets obtain have matches")
GIVES_TWO = frozenset((("corresponds", "to"), ("points", "to"), ("leads", "to"), ("back", "to"), ("down", "to")))
MAKES = _words("makes make making made renders rendering render find finds deem judge consider mark rate")
THINKS = _words("believe say agree feel consider find deem judge think hold take conclude")
SUBORDINATE = _words("if whether unless although though while suppose assuming assume were until when")
WONDER = _words("determine decide determining deciding evaluate evaluating assess assessing check verify")
