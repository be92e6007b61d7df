"""Who claims which id, kept so that a change decides anew only the claims it can touch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from personakit.model.identity import Claim, Verdict, possible_original, settle

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    # Nearly always one path: a tuple of one takes a quarter of a set.
    Paths: TypeAlias = tuple[str, ...]


class Claims:
    """All claims of a vault. `settle_around` equals a decision over all of them, for the files it names."""

    def __init__(self) -> None:
        self._by_path: dict[str, Claim] = {}
        self._by_id: dict[str, Paths] = {}
        self._copies: dict[str, Paths] = {}

    def __contains__(self, path: str) -> bool:
        """Whether a file has made a claim."""
        return path in self._by_path

    def put(self, claim: Claim) -> None:
        """Add a file's claim, or replace the one it made before."""
        path, declared, own, *_ = claim
        self.drop(path)
        self._by_path[path] = claim
        for id_ in (own,) if own == declared else (declared, own):
            if id_:
                _add(self._by_id, id_, path)
        original = possible_original(path)
        if original is not None:
            _add(self._copies, original, path)

    def drop(self, path: str) -> None:
        """Take a file's claim back, if it has made one."""
        claim = self._by_path.pop(path, None)
        if claim is None:
            return
        for id_ in {claim.declared, claim.own} - {""}:
            _discard(self._by_id, id_, path)
        original = possible_original(path)
        if original is not None:
            _discard(self._copies, original, path)

    def claiming(self, id_: str) -> frozenset[str]:
        """Give the files that declare an id or whose content gives it."""
        return frozenset(self._by_id.get(id_, ()))

    def touched_by(self, paths: Iterable[str]) -> set[str]:
        """Give every claiming file whose verdict can depend on the claims of these files, those included."""
        reached: set[str] = set()
        waiting = list(paths)
        while waiting:
            path = waiting.pop()
            if path in reached:
                continue
            reached.add(path)
            waiting += self._copies.get(path, ())
            claim = self._by_path.get(path)
            if claim is None:
                continue
            for id_ in (claim.declared, claim.own):
                waiting += self._by_id.get(id_, ())
            original = possible_original(path)
            if original is not None:
                waiting.append(original)
        return reached & self._by_path.keys()

    def settle(self, paths: Iterable[str]) -> dict[str, Verdict]:
        """Decide the claims of these files; they must be closed under `touched_by`."""
        verdicts: dict[str, Verdict] = {}
        contested = []
        for path in paths:
            claim = self._by_path[path]
            if self._is_alone(claim):
                verdicts[path] = Verdict(claim.declared or claim.own)
            else:
                contested.append(claim)
        return {**verdicts, **settle(contested)}

    def _is_alone(self, claim: Claim) -> bool:
        """Say whether no other file has to do with a claim: nearly every one is so, and needs no deciding."""
        path, declared, own, *_ = claim
        for id_ in (own,) if own == declared else (declared, own):
            if id_ and len(self._by_id[id_]) > 1:
                return False
        return path not in self._copies and possible_original(path) is None


def _add(index: dict[str, Paths], key: str, path: str) -> None:
    held = index.get(key)
    index[key] = (path,) if held is None else (*held, path)


def _discard(index: dict[str, Paths], key: str, path: str) -> None:
    left = tuple(other for other in index[key] if other != path)
    if left:
        index[key] = left
    else:
        del index[key]
