"""Connected accounts as rows, as connecting leaves them."""

import sqlalchemy as sa

from socialgate.areas.accounts.credential_cipher import CredentialCipher
from socialgate.areas.accounts.tables import accounts, grants
from socialgate.connectors.registry import MANIFESTS
from socialgate.contracts.account_connection import Grant
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.db import Tx
from socialgate.core.ids import new_id


async def add_account(
    tx: Tx, vault: CredentialCipher, kind: Kind, platform_account_id: str, *, owner_id: str, profile_id: str
) -> str:
    """Add an account with a grant of its own, whose access token is `<platform_account_id>:token`. Gives its id."""
    subject, grant_id, account_id = platform_account_id, new_id("grt"), new_id("acc")
    times = {"created_at": tx.now, "updated_at": tx.now}
    whose = {"owner_id": owner_id, "profile_id": profile_id, "platform": _platform(kind), **times}
    grant = Grant(
        platform_user_id=subject, name="Bench", access_token=f"{subject}:token", scopes=(), refreshed_at=tx.now
    )
    permitted = {"id": grant_id, "subject": subject, "token_marks": ""}
    sealed = vault.encrypt_grant(owner_id, grant_id, grant)
    await tx.execute(sa.insert(grants).values(sealed=sealed, **permitted, **whose))
    known = {"platform_account_id": subject, "inbound_key": subject, "details": {}}
    shown = {
        "name": "Bench",
        "username": f"bench{subject}",
        "avatar_url": f"https://example.com/avatars/{subject}.jpg",
        "profile_url": f"https://example.com/{subject}",
    }
    state = {"id": account_id, "grant_id": grant_id, "kind": kind, "status": "connected", "connected_at": tx.now}
    secret = vault.encrypt_account_secret(owner_id, account_id, {})
    await tx.execute(sa.insert(accounts).values(sealed=secret, **known, **shown, **state, **whose))
    return account_id


def _platform(kind: Kind) -> Platform:
    return next(name for name, manifest in MANIFESTS.items() if kind in {kind.kind for kind in manifest.kinds})
