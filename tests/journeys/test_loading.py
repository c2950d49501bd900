"""What a start loads: nothing that is only needed later, because every start would wait for it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.processes import environment

# Assembles a process as `serve` and `work` do, and lists the modules that this has loaded.
ASSEMBLE = """
import json, sys
import socialgate.__main__
from socialgate.core.clock import SystemClock
from socialgate.core.settings import load_settings
from socialgate.entry import serve
service = serve.Deployment(load_settings(), SystemClock())
service.asgi_app, service.worker
print(json.dumps(sorted(sys.modules)))
"""
# With their parts, and why they come later.
LATE = {
    "PIL": "images",
    "alembic": "migrations",
    "imageio_ffmpeg": "videos",
    "jinja2": "pages for people",
    "markdown_it": "pages of the documentation",
    "mcp": "language models",
    "mcp_types": "language models",
    "pillow_heif": "images of phones",
    "rich": "commands that print tables",
    "segno": "QR codes",
    "socialgate.connectors.registry": "all platforms",
    "socialgate.connectors.client": "any call to a platform",
    "socialgate.connectors.openai": "generating",
    "socialgate.connectors.stripe": "buying plans",
    "socialgate.docs_site.page_renderer": "pages of the documentation",
    "socialgate.mcp.server": "language models",
    "socialgate_client": "commands that call a service from outside",
    "socialgate_sandbox": "simulated platforms",
}
STRIPE = {"stripe_secret_key": "sk_1", "stripe_webhook_secret": "whsec_1", "stripe_prices": "pro/month=price_1"}


@pytest.mark.parametrize("settings", [{}, STRIPE], ids=["without Stripe", "with Stripe"])
def test_a_start_loads_nothing_that_is_only_needed_later(tmp_path: Path, settings: dict[str, str]) -> None:
    params = {**settings, "data_dir": tmp_path / "data", "sandbox": "false"}
    done = subprocess.run(
        [sys.executable, "-c", ASSEMBLE], env=environment(params), cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    loaded = json.loads(done.stdout)
    assert "socialgate.areas.billing.service" in loaded
    early = [name for name in loaded if any(f"{name}.".startswith(f"{late}.") for late in LATE)]
    assert early == []
