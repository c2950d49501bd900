"""The package of the simulated platforms, which is optional: the extra `sandbox` installs it."""

from importlib.util import find_spec

from socialgate.core.settings import SettingsError

_SANDBOX_PACKAGE = "socialgate_sandbox"


def require_sandbox() -> None:
    """Raise an error that says what to do if it is not installed. Call it before importing `entry.sandbox`."""
    if find_spec(_SANDBOX_PACKAGE) is None:
        raise SettingsError(
            "Cannot simulate platforms: the package socialgate-sandbox is not installed. Install it with "
            "`pip install 'socialgate[sandbox]'`, or set SOCIALGATE_SANDBOX=false to use only platforms that you have "
            "configured an app for."
        )
