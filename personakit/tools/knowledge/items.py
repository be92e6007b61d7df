"""Quotes and changes as the knowledge tools publish them, and the lines in which they are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from personakit.model.block import tame
from personakit.model.past import utc
from personakit.services.knowledge.quote import place_of, quoted_lines
from personakit.tools.knowledge.shapes import (
    ChangeItem,
    Dates,
    DocumentItem,
    DocumentRef,
    PassageItem,
    PlaceInVersion,
    ReplacedBy,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from personakit.model.document import Document
    from personakit.services.knowledge.changes import Change
    from personakit.services.knowledge.quote import Quote


def passage_item(quote: Quote) -> PassageItem:
    """Give a quote as it is published."""
    passage, about = quote.passage, quote.passage.about
    replaced = quote.replaced_by
    return PassageItem(
        passage=passage.id,
        words=passage.text,
        highlights=list(quote.highlights),
        document=document_ref(about),
        section=list(passage.section),
        dates=dates(about, quote.changed),
        status=quote.place.value,
        authority=about.authority or None,
        link=about.link or None,
        place=PlaceInVersion(n=passage.at, of=about.parts, version=about.version),
        replaced_by=None if replaced is None else ReplacedBy(passage=replaced[0], when=replaced[1]),
        removed_at=quote.removed_at or None,
        newer_waiting_since=quote.waiting_since or None,
    )


def document_ref(about: Document) -> DocumentRef:
    """Give a document's id and title."""
    return DocumentRef(id=about.id, title=about.title or None)


def document_item(about: Document, quote: Quote) -> DocumentItem:
    """Give a document behind an answer."""
    return DocumentItem(
        id=about.id,
        title=about.title or None,
        status=about.status or None,
        authority=about.authority or None,
        link=about.link or None,
        dates=dates(about, quote.changed),
    )


def dates(about: Document, changed: str) -> Dates:
    """Give a document's days."""
    return Dates(
        changed=changed or None,
        effective_from=about.effective_from or None,
        effective_until=about.effective_until or None,
    )


def change_item(change: Change, **more: bool) -> ChangeItem:
    """Give a change as it is published; `served` where it was looked for."""
    old, new = change.old, change.new
    return ChangeItem(
        time=utc(change.at),
        document=document_ref(change.about),
        kind=change.kind,
        section=list(change.section),
        old_passage=None if old is None else old.id,
        old=None if old is None else old.text,
        new_passage=None if new is None else new.id,
        new=None if new is None else new.text,
        withheld=change.withheld,
        **more,
    )


def change_lines(change: Change, *, served: bool) -> Iterator[str]:
    """Tell a change: what, where and when on one line, then the words before and since."""
    where = tame(change.about.id) if change.withheld else place_of(change.about, change.section)
    marks = [*(["withheld"] if change.withheld else []), *(["you were served the old words"] if served else [])]
    said = f" ({', '.join(marks)})" if marks else ""
    yield f"{utc(change.at)}: {change.kind}: {where}{said}"
    for word, one in (("old", change.old), ("new", change.new)):
        if one is not None:
            yield f"{word} {one.id}:"
            yield from quoted_lines(one.text)
