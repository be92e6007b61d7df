"""Consent: what the owner lets assistants do, for the vault and for each project.

It binds assistants; the owner's own commands ask nobody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from personakit.model.note import label_key

if TYPE_CHECKING:
    from personakit.config import Consent, Settings


def consent_of(settings: Settings, project: str) -> Consent:
    """Give what counts for a project; one that the settings do not name, or none (""), has the vault's."""
    asked = label_key(project)
    named = [consent for name, consent in settings.projects if asked and label_key(name) == asked]
    return named[0] if named else settings.consent
