"""Ask: the passages that answer a question, judged by the words they hold, with their best sentences."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from personakit.errors import NoHistory
from personakit.index.bm25 import rank, weights
from personakit.model.asked_time import time_in
from personakit.model.document import Passage, Place
from personakit.model.pairing import differ_in_figures
from personakit.model.sentences import sentences
from personakit.model.verdict import PARTLY, Outcome, Window, best_window, names_in, outcome_of, without_asking
from personakit.services.knowledge.changes import rows_of
from personakit.services.knowledge.chronicle import chronicle_of
from personakit.services.knowledge.inquiry import checked_as_of, checked_question
from personakit.services.knowledge.moments import moment_of
from personakit.services.knowledge.search import within

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from personakit.index.table import Table
    from personakit.index.words import Tokeniser
    from personakit.model.document import Document
    from personakit.services.knowledge.changes import Change
    from personakit.services.knowledge.inquiry import Inquiry
    from personakit.services.knowledge.moments import Moment
    from personakit.services.knowledge.quote import Quote

LOOKED_AT = 16
# Of so many the sentences are looked at: who comes later in the ranking answers no better.
JUDGED = 8
MOST_EVIDENCE = 5
MOST_RELATED = 5
NEAREST = 3
LATELY = 30 * 24 * 3600
MOST_CHANGES = 10
BY_WORDS = "Judged by the words that question and passages share; nothing read their meaning."
AS_OF = "The question names a time; answered as of {day}."
AS_OF_NOW = "The question names a time before any document was committed here, {day}; answered as of now."
NOT_YET = "A passage below is not yet in effect."
DIFFER = "The two best passages give different figures, or one denies what the other says; read both."
DRAFT = "A passage comes from a draft."
WAITS = "A correction of a passage waits for a person."


@dataclass(frozen=True, slots=True)
class Answer:
    """What a question came to.

    Attributes:
        outcome: answered, partly answered, possible or not found.
        evidence: the passages that answer, best first; only of what is in effect.
        related: those that may answer, or the nearest.
        notes: sentences about the answer.
        reasons: why it was made with less than there is.
        changes: what changed in the documents of the evidence within thirty days, newest first.
    """

    outcome: Outcome
    evidence: tuple[Quote, ...] = ()
    related: tuple[Quote, ...] = ()
    notes: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """All that leaves."""
        return (*self.evidence, *self.related)

    @property
    def documents(self) -> list[tuple[Document, Quote]]:
        """The documents behind it, each with a quote from it, in the order of the quotes."""
        firsts: dict[str, tuple[Document, Quote]] = {}
        for one in self.quotes:
            firsts.setdefault(one.passage.about.id, (one.passage.about, one))
        return list(firsts.values())


@dataclass(frozen=True, slots=True)
class _Judged:
    """A passage and what it makes of the question."""

    passage: Passage
    coverage: float
    window: Window
    parts: Sequence[str]
    outcome: Outcome


@dataclass(slots=True)
class _Question:
    """A question in words: what it asks, and what must be met by name."""

    text: str
    tokeniser: Tokeniser
    words: frozenset[str] = frozenset()
    names: list[frozenset[str]] = field(default_factory=list)
    weights: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.words = frozenset(self.tokeniser.words(without_asking(self.text)) or self.tokeniser.words(self.text))
        named = (frozenset(self.tokeniser.words(name)) & self.words for name in names_in(self.text))
        self.names = [name for name in named if name]

    def judge(self, passage: Passage, coverage: float, *, closely: bool) -> _Judged:
        """Say what a passage makes of the question; its sentences are looked at only where they can decide."""
        if coverage < PARTLY or not closely:
            return _Judged(passage, coverage, Window(), (), outcome_of(coverage, Window()))
        parts = sentences(passage.text)
        held = [frozenset(self.tokeniser.words(part)) for part in parts]
        around = frozenset(word for name in passage.aliases for word in self.tokeniser.words(name))
        window = best_window(held, self.weights, self.names, around)
        return _Judged(passage, coverage, window, parts, outcome_of(coverage, window))

    def highlights(self, one: _Judged) -> tuple[str, ...]:
        """Give the sentences of a passage's window that hold a word of the question."""
        if one.window.first < 0:
            return ()
        chosen = one.parts[one.window.first : one.window.last + 1]
        return tuple(part for part in chosen if not self.weights.keys().isdisjoint(self.tokeniser.words(part)))


def ask(inquiry: Inquiry, question: str, as_of: str) -> Answer:
    """Answer a question; its time is `as_of`, else what its own words say, else now.

    Raises:
        ArgumentError
    """
    asked = checked_question("question", question)
    day = checked_as_of(as_of, inquiry.day)
    inquiry.vault.freshness.before_call()
    read = None if day else time_in(asked, inquiry.day)
    if read is not None:
        asked = asked[: read.start] + " " + asked[read.end :]
    moment = moment_of(inquiry, read.day if read is not None else day)
    said = [] if read is None else [AS_OF.format(day=read.day)]
    if read is not None and moment.is_unknown:
        moment, said = moment_of(inquiry, ""), [AS_OF_NOW.format(day=read.day)]
    return _answered(inquiry, moment, _Question(asked, inquiry.vault.library.tokeniser), said)


def _answered(inquiry: Inquiry, moment: Moment, question: _Question, said: list[str]) -> Answer:
    places = (Place.LIVE, Place.NOT_YET)

    def pick(table: Table) -> list[_Judged]:
        shelves, among = inquiry.shelves(table)
        question.weights = weights(shelves, question.words)
        found = rank(table, shelves, question.words, limit=LOOKED_AT, wanted=within(moment.day, places), among=among)
        judged: list[_Judged] = []
        for one in found:
            if isinstance(one.note, Passage):
                looked = sum(bool(each.parts) for each in judged)
                judged.append(question.judge(one.note, one.share, closely=looked < JUDGED))
        return judged

    def leaving(judged: list[_Judged]) -> list[Passage]:
        _, evidence, related = _sorted(judged, moment.day)
        return [one.passage for one in (*evidence, *related)]

    judged = moment.answer(pick, leaving)
    outcome, evidence, related = _sorted(judged, moment.day)
    quotes = [[moment.quote(one.passage, question.highlights(one)) for one in some] for some in (evidence, related)]
    answer = Answer(
        outcome,
        tuple(quotes[0]),
        tuple(quotes[1]),
        (*said, *moment.notes, *_notes(quotes[0], quotes[1])),
        moment.reasons,
        _lately(inquiry, quotes[0]),
    )
    best = max(judged, key=lambda one: (_LEVELS.index(one.outcome), one.coverage), default=None)
    inquiry.ends(
        [one.passage for one in answer.quotes],
        as_of=moment.day if moment.day != inquiry.day else None,
        repositories=len(inquiry.wanted),
        terms=len(question.words),
        names=len(question.names),
        matched=len(judged),
        outcome=outcome.value,
        coverage=None if best is None else round(best.coverage, 3),
        window=None if best is None else round(best.window.share, 3),
        served=len(answer.quotes),
    )
    return answer


def _lately(inquiry: Inquiry, evidence: list[Quote]) -> tuple[Change, ...]:
    """Give what changed lately in the documents that answer; what is on the disk alone counts too."""
    paths = dict.fromkeys(one.passage.path for one in evidence if not one.removed_at)
    vault = inquiry.vault
    end = int(vault.clock.now().timestamp()) + 1
    found: list[Change] = []
    try:
        with chronicle_of(vault).at_hand() as reading:
            for path in paths:
                if path in vault.library.files:
                    life = reading.chronicle.life_at(reading, path)
                    found += rows_of(inquiry, reading, life, end - LATELY, end)
    except NoHistory:
        return ()
    found.sort(key=lambda one: one.key, reverse=True)
    return tuple(found[:MOST_CHANGES])


_LEVELS = (Outcome.NOT_FOUND, Outcome.POSSIBLE, Outcome.PARTLY, Outcome.ANSWERED)


def _sorted(judged: list[_Judged], day: str) -> tuple[Outcome, list[_Judged], list[_Judged]]:
    """Give the outcome, what answers and what is related; only what is in effect can answer."""
    live = [one for one in judged if one.passage.about.place_on(day) is Place.LIVE]
    outcome = max((one.outcome for one in live), key=_LEVELS.index, default=Outcome.NOT_FOUND)
    evidence: list[_Judged] = []
    if outcome in (Outcome.ANSWERED, Outcome.PARTLY):
        evidence = [one for one in live if one.outcome is outcome][:MOST_EVIDENCE]
    taken = {one.passage.id for one in evidence}
    rest = [one for one in judged if one.passage.id not in taken]
    may = [one for one in rest if one.outcome is not Outcome.NOT_FOUND][:MOST_RELATED]
    if outcome is Outcome.NOT_FOUND and not may:
        may = rest[:NEAREST]
    return outcome, evidence, may


def _notes(evidence: list[Quote], related: list[Quote]) -> Iterable[str]:
    every = [*evidence, *related]
    if every:
        yield BY_WORDS
    if any(one.place is Place.NOT_YET for one in every):
        yield NOT_YET
    if any(one.passage.about.status == "draft" for one in every):
        yield DRAFT
    if any(one.waiting_since for one in every):
        yield WAITS
    if any(differ_in_figures(*(" ".join(one.highlights) for one in two)) for two in pairwise(evidence[:2])):
        yield DIFFER
