"""Each safety promise has a test that fails when its one line is taken out; here each is taken out in turn."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import personakit

PACKAGE = Path(personakit.__file__).parent
TESTS = Path(__file__).parent


@dataclass(frozen=True)
class Fault:
    """A line that keeps a promise, what stands there when it is broken, and the test that must notice."""

    promise: str
    file: str
    line: str
    broken: str
    test: str


FAULTS = [
    Fault(
        "what was hidden for a time says nothing of what became of a passage",
        "services/knowledge/later.py",
        "        said = seen_then(inquiry, reading, edition)",
        "        said = reading.passages(edition)",
        "services/test_document_history.py::test_what_was_hidden_for_a_time_is_not_told",
    ),
    Fault(
        "a version that stood in an ended repository stays there",
        "services/knowledge/changes.py",
        "own = Audience(first.state, first.assistants, first.projects, repository=repository)",
        "own = Audience(first.state, first.assistants, first.projects)",
        "services/test_document_history.py::test_the_past_in_an_ended_repository_stays_there",
    ),
    Fault(
        "an applied correction is not applied again",
        "model/correction.py",
        "return self.status == ACCEPTED and not self.applied",
        "return self.status == ACCEPTED",
        "tools/test_corrections.py::test_a_correction_waits_and_the_owner_accepts_it_in_its_file",
    ),
    Fault(
        "old words that stand elsewhere too are left alone",
        "model/correction.py",
        "    if len(here or found) > 1:",
        "    if False:",
        "model/test_correction.py::test_what_does_not_fit_any_more_is_said",
    ),
    Fault(
        "a correction never makes its document unreadable",
        "services/knowledge/corrections.py",
        "    if read_file(path, Kind.PASSAGE, new).condition is not Condition.READ:",
        "    if False:",
        "cli/test_proposals.py::test_what_cannot_be_applied_is_said",
    ),
    Fault(
        "a note's file is looked at before it leaves",
        "services/freshness.py",
        "stale = [path for path in {note.path for note in leaving(picked)} if not self._holds(path, judged)]",
        "stale: list[str] = []",
        "services/test_freshness.py::test_withdrawals_count_though_every_event_is_lost",
    ),
    Fault(
        "the event descriptor is read by the call itself",
        "vault/watch.py",
        "while not self._closed and self._poll.poll(0):",
        "while False:",
        "services/test_freshness.py::test_additions_and_folders_count_at_once",
    ),
    Fault(
        "a write holds the vault's lock",
        "vault/store.py",
        "            with self._lock:",
        "            with contextlib.nullcontext():",
        "services/test_propose.py::test_a_held_lock_is_busy",
    ),
    Fault(
        "restricted memories are withheld",
        "model/visibility.py",
        "if note.state is State.RESTRICTED:",
        "if False:",
        "services/test_find.py::test_states_decide",
    ),
    Fault(
        "no stored word ends the block it is told in",
        "model/block.py",
        '_TAG.sub("&lt;", line)',
        "line",
        "model/test_block.py::test_stored_words_stay_in_their_line",
    ),
    Fault(
        "the journal keeps a hash of a question, not its words",
        "services/served.py",
        "vault.recorder.hasher(*call.question)",
        '" ".join(call.question)',
        "services/test_served.py::test_a_read_is_one_row",
    ),
    Fault(
        "what another process told in a session is told",
        "services/sessions.py",
        "        self._catch_up(now)\n",
        "",
        "services/test_spoilt_journal.py::test_two_processes_in_one_session",
    ),
    Fault(
        "a child of a silent session is silent",
        "services/talk.py",
        "if not (inherits and self.consent is Consent.NONE):",
        "if True:",
        "services/test_transcripts.py::test_consent_of_a_project",
    ),
    Fault(
        "a forgotten session's words leave the cache",
        "services/ledger.py",
        "        vault.drop_cache()\n",
        "",
        "cli/test_sessions.py::test_forget_where_git_keeps_history",
    ),
    Fault(
        "the past of a document passes the gate of now",
        "services/knowledge/chronicle.py",
        "return self.fate is not None and visible(self.fate, viewer) is Sight.SERVED",
        "return True",
        "services/test_document_history.py::test_no_version_in_git_leaks",
    ),
    Fault(
        "only who was served the old words is told so",
        "services/knowledge/changes.py",
        'row.get("to") == inquiry.by and',
        "True and",
        "services/test_document_history.py::test_served_old_words",
    ),
    Fault(
        "when a hidden file was saved is told to nobody",
        "services/knowledge/changes.py",
        "at = end if edition.blob == ON_DISK else when(edition, end)",
        "at = when(edition, end)",
        "services/test_document_history.py::test_no_version_in_git_leaks[restricted, not committed]",
    ),
    Fault(
        "a search tells nothing of groups that its caller may not see",
        "services/seek/scopes.py",
        "            if sight is Sight.SERVED:\n",
        "            if True:\n",
        "tools/test_kaeru.py::test_scopes",
    ),
    Fault(
        "what has been replaced is left out for its successor",
        "services/seek/match.py",
        "            docs.difference_update(gone)\n",
        "",
        "tools/test_kaeru.py::test_what_is_replaced_names_its_successor",
    ),
    Fault(
        "a hidden change is no change of the index to whoever may not see it",
        "services/seek/verb.py",
        "changed = now != then",
        "changed = True",
        "tools/test_kaeru.py::test_a_hidden_change_between_pages_is_none",
    ),
    Fault(
        "no page passes its budget",
        "services/seek/pages.py",
        "    room = budget - 2\n",
        "    room = 2 * budget\n",
        "tools/test_kaeru.py::test_a_small_budget_cuts_the_first_body",
    ),
    Fault(
        "a cursor goes on with the same arguments alone",
        "services/seek/verb.py",
        "if cursor.query != wanted.digest:",
        "if False:",
        "tools/test_kaeru.py::test_pages_while_files_change",
    ),
    Fault(
        "a review decides on the bytes that were shown",
        "services/review/changes.py",
        "pen.edit(memory.path, card.version,",
        "pen.edit(memory.path, library.files[memory.path].reading.digest,",
        "services/test_review.py::test_a_decision_counts_for_what_was_shown",
    ),
    Fault(
        "a preview is what comes",
        "services/library.py",
        "seen_ns=self.clock.nanoseconds() + 2 * RACY_NS)",
        "seen_ns=self.clock.nanoseconds())",
        "cli/test_review.py::test_a_preview_is_what_comes",
    ),
    Fault(
        "a review lends the terminal as it was",
        "cli/keys.py",
        "    def __exit__(self, *_: object) -> None:\n        self._restore()",
        "    def __exit__(self, *_: object) -> None:\n        pass",
        "cli/test_review.py::test_ctrl_c_leaves_the_terminal_as_it_was",
    ),
    Fault(
        "an editor's other id is refused",
        "services/review/changes.py",
        "    if was != now:",
        "    if False:",
        "services/test_review.py::test_an_edit_keeps_the_id",
    ),
    Fault(
        "words are kept under full consent alone",
        "services/transcripts.py",
        "talk.consent is not Consent.FULL or talk.asking",
        "talk.asking",
        "services/test_transcripts.py::test_no_word_is_kept_otherwise",
    ),
    Fault(
        "an audience that does not name the viewer sees nothing",
        "model/visibility.py",
        "if note.assistants and not viewer.every_list and not _holds(note.assistants, viewer.name):",
        "if False:",
        "services/test_find.py::test_audiences",
    ),
    Fault(
        "bytes are durable before their name is",
        "vault/atomic.py",
        "view = view[os.write(descriptor, view) :]\n        os.fsync(descriptor)",
        "view = view[os.write(descriptor, view) :]",
        "vault/test_atomic.py",
    ),
    Fault(
        "a write looks once more before it replaces",
        "vault/atomic.py",
        "if not unchanged():",
        "if False:",
        "vault/test_atomic.py",
    ),
    Fault(
        "a write names the version it replaces",
        "vault/store.py",
        "if version_of(raw, kind) != version:",
        "if False:",
        "vault/test_store.py",
    ),
    Fault(
        "an edit is proved before it is used",
        "vault/lines.py",
        "_prove(before, page, result, key, wanted)",
        "None",
        "vault/test_lines.py",
    ),
    Fault(
        "a new file never takes another's place",
        "vault/atomic.py",
        "os.link(temp, target, follow_symlinks=False)",
        "os.replace(temp, target)",
        "vault/test_atomic.py",
    ),
    Fault(
        "a key that stands twice counts at its most cautious",
        "vault/kinds.py",
        "return most_cautious(found) if found else None",
        "return found[-1] if found else None",
        "vault/test_kinds.py",
    ),
    Fault(
        "a file written just now is read again before it leaves",
        "services/library.py",
        "return record is not None and record.stamp == stamp and not record.is_racy",
        "return record is not None and record.stamp == stamp",
        "services/test_freshness.py::test_a_rewrite_within_one_tick_counts",
    ),
    Fault(
        "merge markers hold a file",
        "vault/body.py",
        "line = marker_line(unfenced if kind is Kind.PASSAGE else body)",
        "line = 0",
        "safety/test_breaking.py::test_left_over_markers_and_lone_returns_hold",
    ),
    Fault(
        "no hook of a repository runs",
        "vault/history/git.py",
        '"core.hooksPath=" + os.devnull,',
        "",
        "vault/history/test_commits.py::test_nothing_of_the_set_up_runs",
    ),
    Fault(
        "no filter of a repository runs",
        "vault/history/programs.py",
        "return replace(git, more={f",
        "return replace(git, more={} and {f",
        "vault/history/test_commits.py::test_nothing_of_the_set_up_runs",
    ),
    Fault(
        "no filter of a repository runs for a sync either",
        "vault/history/state.py",
        "git = without_filters(git)",
        "without_filters(git)",
        "safety/test_hostile_sync.py::test_a_file_younger_than_the_index_runs_none",
    ),
    Fault(
        "only the version that was written is committed",
        "services/recording.py",
        "return bool(change.version) and change.version == seen.reading.digest",
        "return True",
        "services/test_recording.py::test_the_owners_change_is_never_taken",
    ),
    Fault(
        "an undo touches only what its commit made",
        "services/undo.py",
        "if record.reading.digest != version_of(new, kind):",
        "if False:",
        "services/test_undo.py::test_other_work_is_left_alone",
    ),
    Fault(
        "quotes leave masked",
        "model/privacy.py",
        "return shorten(mask_emails(text))",
        "return shorten(text)",
        "services/test_find.py::test_quotes_leave_masked_and_short",
    ),
    Fault(
        "a log does not follow a file to other names",
        "vault/history/past.py",
        '"log.follow=false"',
        '"log.follow=true"',
        "vault/history/test_past.py::test_a_log_does_not_follow_a_file_to_other_names",
    ),
    Fault(
        "a version is a memory's only while its id is",
        "vault/history/lineage.py",
        "return bool(blob) and (self.id in self.pages[blob].ids or blob in self.unread)",
        "return bool(blob)",
        "services/test_recount.py::test_a_paths_other_memories_stay_out",
    ),
    Fault(
        "a withdrawn memory takes its past with it",
        "services/recount.py",
        "return visible(account.note, viewer)",
        "return Sight.SERVED",
        "services/test_recount.py::test_history_passes_the_gate_of_now",
    ),
    Fault(
        "two versions are merged by the rule and never by a union of their lines",
        "vault/merge.py",
        "merged = _by_rule(kind, base, one, other, text)",
        "merged = Merged(one + other)",
        "vault/test_merge.py::test_of_two_decisions_the_careful_one_counts",
    ),
    Fault(
        "an approval ends where a merge changes its words",
        "model/merging.py",
        "if state is State.APPROVED and not any(_has_seen(side, merged, words) for side in (one, other)):",
        "if False:",
        "vault/test_merge.py::test_a_merge_never_approves",
    ),
    Fault(
        "a merge stops before it touches an edit that is not committed",
        "vault/history/checkout.py",
        "if index.get(path, Entry()) not in (old, new) or not self._is_either(path, old, new):",
        "if False:",
        "services/test_sync.py::test_an_edit_that_the_merge_would_touch_stops_it",
    ),
    Fault(
        "a sync that was killed is taken back by the next one",
        "services/sync.py",
        "            checkout.take_back(plan)\n        checkout.forget()",
        "            pass\n        checkout.forget()",
        "services/test_sync.py::test_what_a_killed_sync_began_is_taken_back",
    ),
]


def planted(fault: Fault, folder: Path) -> Path:
    """Copy the package with one line broken, and give the folder to import it from."""
    copy = folder / "personakit"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("template"))
    file = copy / fault.file
    text = file.read_text("utf-8")
    assert text.count(fault.line) == 1, f"{fault.file} no longer holds the line that keeps the promise"
    file.write_text(text.replace(fault.line, fault.broken), "utf-8")
    return folder


def _plain_environment() -> dict[str, str]:
    """Give the environment without what steers the outer test run and its coverage."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COV", "PYTEST"))}
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1"}


def run(source: Path, *tests: str) -> subprocess.CompletedProcess[str]:
    """Run tests against the package in a folder."""
    options = ["-p", "no:cacheprovider", "-x", "-q", "-c", os.devnull, "--import-mode=importlib"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options, f"--rootdir={TESTS.parent}", *(f"{TESTS}/{test}" for test in tests)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=source,
        env={**_plain_environment(), "PYTHONPATH": f"{source}{os.pathsep}{TESTS.parent}"},
    )


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.promise)
def test_the_fault_is_noticed(fault: Fault, tmp_path: Path) -> None:
    """With the line taken out the promise's test fails, by an assertion and not for want of a module."""
    done = run(planted(fault, tmp_path), fault.test)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "ImportError" not in done.stdout and "SyntaxError" not in done.stdout


def test_without_a_fault_they_pass(tmp_path: Path) -> None:
    """Tests pass against an unbroken copy, so it is the fault that they notice; that each does is the whole run's."""
    shutil.copytree(PACKAGE, tmp_path / "personakit", ignore=shutil.ignore_patterns("template"))
    done = run(tmp_path, *sorted({fault.test for fault in FAULTS})[::6])
    assert done.returncode == 0, done.stdout + done.stderr
