"""Texts, translations, alternative texts and images by AI, where the deployment has a provider."""

import msgspec

from socialgate.areas.generation.schemas import CopyGenerationBody, Generation, ImageGenerationBody
from socialgate.areas.generation.service import GenerationService
from socialgate.console.composing.post_form import Composed
from socialgate.console.forms import FormData
from socialgate.contracts.generation import AiClientLoader
from socialgate.core.errors import InvalidRequest
from socialgate.core.unit_of_work import UnitOfWork

# A person waits for it, so not for long: what takes longer is found under Tasks.
_WAIT_SECONDS = 25
_MAX_ALT_LENGTH = 400


class Request(msgspec.Struct, frozen=True):
    """What is asked for: `text`, `translation`, `image`, or `alt.` and the id of a file; and the post so far."""

    subject: str
    composed: Composed


class Assistant:
    def __init__(self, generations: GenerationService, generators: AiClientLoader) -> None:
        self._generations = generations
        self._generators = generators

    @property
    def is_configured(self) -> bool:
        return self._generators.current_client is not None

    async def fulfil(self, work: UnitOfWork, profile_id: str, request: Request, form: FormData) -> FormData:
        """Return the form with what was generated. The text that it replaces is kept, so that it can be put back."""
        if request.subject == "undo":
            return form.replaced(content=[form.value("before")], before=[])
        if request.subject == "image":
            body = ImageGenerationBody(prompt=_require_wish(form), profile_id=profile_id)
            generated = await self._wait(work, await self._generations.create_image_generation(work, body))
            return form.replaced(
                media=[*form.values("media"), *(generated.result.media_ids if generated.result else ())]
            )
        if request.subject.startswith("alt."):
            text = await self._write(work, _build_alt_request(request.subject.removeprefix("alt."), profile_id))
            return form.replaced(**{request.subject: [text]})
        build = _build_translation_request if request.subject == "translation" else _build_text_request
        text = await self._write(work, build(request.composed, form, profile_id))
        return form.replaced(content=[text], before=[request.composed.content])

    async def _write(self, work: UnitOfWork, body: CopyGenerationBody) -> str:
        generated = await self._wait(work, await self._generations.create_copy_generation(work, body))
        variants = () if generated.result is None else generated.result.variants
        return next((variant.text for variant in variants), "")

    async def _wait(self, work: UnitOfWork, created: Generation) -> Generation:
        generated = await self._generations.read(work, created.id, _WAIT_SECONDS)
        if generated.error is not None:
            raise InvalidRequest.for_field("/wish", "invalid", generated.error.detail)
        if generated.finished_at is None:
            raise InvalidRequest.for_field("/wish", "invalid", "It takes longer than usual. Tasks shows how far it is.")
        return generated


def _require_wish(form: FormData) -> str:
    wish = form.value("wish").strip()
    if not wish:
        raise InvalidRequest.for_field("/wish", "required", "Say what to create.")
    return wish


def _build_text_request(composed: Composed, form: FormData, profile_id: str) -> CopyGenerationBody:
    accounts = [target.account_id for target in composed.targets]
    so_far = f"\n\nThe text so far:\n{composed.content}" if composed.content else ""
    return CopyGenerationBody(prompt=_require_wish(form) + so_far, account_ids=accounts, profile_id=profile_id)


def _build_translation_request(composed: Composed, form: FormData, profile_id: str) -> CopyGenerationBody:
    if not composed.content:
        raise InvalidRequest.for_field("/wish", "required", "Write a text first; then it can be translated.")
    prompt = f"Translate this text. Keep its meaning, names, links and hashtags:\n\n{composed.content}"
    return CopyGenerationBody(prompt=prompt, language=_require_wish(form), profile_id=profile_id)


def _build_alt_request(media_id: str, profile_id: str) -> CopyGenerationBody:
    prompt = "Describe this image in one or two sentences for people who cannot see it. No hashtags, no opinions."
    return CopyGenerationBody(
        prompt=prompt,
        media_ids=[media_id],
        max_length=_MAX_ALT_LENGTH,
        hashtags=False,
        emoji=False,
        profile_id=profile_id,
    )
