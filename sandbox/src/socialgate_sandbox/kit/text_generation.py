"""The model's words: short marketing copy about what the prompt is about, in its language and within its limits.

The same request is always answered with the same words, because they are chosen by its hash.
"""

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from socialgate_sandbox.kit.instructions import (
    Instructions,
    parse_instructions,
    remove_quoted_instructions,
    remove_words,
)

_DEFAULT_LENGTH = 320
_MAX_TOPIC_WORDS = 8
_MIN_HITS = 2


class Language(NamedTuple):
    """`names` are what a prompt calls it, `common_words` are words by which a text in it is recognized."""

    names: str
    common_words: str
    openings: tuple[str, ...]
    middles: tuple[str, ...]
    closings: tuple[str, ...]
    # How an answer to a person begins.
    answer: str


LANGUAGES = {
    "en": Language(
        "english|inglés|anglais|englisch",
        "the and with for about write",
        ("Meet {topic}.", "Have you tried {topic} yet?", "Good news for everyone who loves {topic}!"),
        (
            "Made with care, every single day.",
            "Small details make the difference, and you will notice them.",
            "Our regulars ask for it again and again.",
        ),
        ("Come by today!", "Find out more on our page.", "See you soon!"),
        "Thank you for your message: “{topic}”.",
    ),
    "es": Language(
        "spanish|español|castellano|espagnol|spanisch",
        "el los las una para con sobre escribe",
        ("Descubre {topic}.", "¿Ya conoces {topic}?", "¡Buenas noticias para quienes aman {topic}!"),
        (
            "Hecho con cariño, todos los días.",
            "Los pequeños detalles marcan la diferencia.",
            "Quien lo prueba, siempre vuelve.",
        ),
        ("¡Ven hoy mismo!", "Más información en nuestra página.", "¡Te esperamos!"),
        "Gracias por su mensaje: «{topic}».",
    ),
    "fr": Language(
        "french|français|francés|französisch",
        "le les des une pour avec sur écris",
        ("Découvrez {topic}.", "Connaissez-vous déjà {topic} ?", "Bonne nouvelle pour ceux qui aiment {topic} !"),
        (
            "Préparé avec soin, chaque jour.",
            "Ce sont les petits détails qui font la différence.",
            "Nos habitués en redemandent.",
        ),
        ("Passez nous voir !", "Plus d'informations sur notre page.", "À très bientôt !"),
        "Merci pour votre message : « {topic} ».",
    ),
    "de": Language(
        "german|deutsch|alemán|allemand",
        "der die das und für mit über schreibe",
        ("Entdecke {topic}.", "Kennst du schon {topic}?", "Gute Nachrichten für alle, die {topic} lieben!"),
        (
            "Mit Liebe gemacht, jeden Tag.",
            "Kleine Details machen den Unterschied.",
            "Unsere Stammkunden kommen immer wieder.",
        ),
        ("Komm heute vorbei!", "Mehr dazu auf unserer Seite.", "Bis bald!"),
        "Danke für deine Nachricht: „{topic}“.",
    ),
    "pt": Language(
        "portuguese|português|portugués|portugiesisch",
        "os as uma para com sobre não escreva",
        ("Conheça {topic}.", "Já experimentou {topic}?", "Boas notícias para quem ama {topic}!"),
        (
            "Feito com carinho, todos os dias.",
            "Os pequenos detalhes fazem a diferença.",
            "Quem prova sempre volta.",
        ),
        ("Venha hoje mesmo!", "Saiba mais na nossa página.", "Até breve!"),
        "Obrigado pela sua mensagem: “{topic}”.",
    ),
    "it": Language(
        "italian|italiano|italienisch|italien",
        "il gli della una per con scrivi che",
        ("Scopri {topic}.", "Conosci già {topic}?", "Buone notizie per chi ama {topic}!"),
        (
            "Fatto con cura, ogni giorno.",
            "Sono i piccoli dettagli a fare la differenza.",
            "Chi lo prova, ritorna.",
        ),
        ("Passa a trovarci oggi!", "Scopri di più sulla nostra pagina.", "A presto!"),
        "Grazie per il tuo messaggio: «{topic}».",
    ),
    "nl": Language(
        "dutch|nederlands|holländisch",
        "het een en voor met over schrijf van",
        ("Ontdek {topic}.", "Ken je {topic} al?", "Goed nieuws voor iedereen die van {topic} houdt!"),
        (
            "Elke dag met zorg gemaakt.",
            "De kleine details maken het verschil.",
            "Onze vaste klanten blijven terugkomen.",
        ),
        ("Kom vandaag langs!", "Lees meer op onze pagina.", "Tot snel!"),
        "Bedankt voor je bericht: “{topic}”.",
    ),
    "ja": Language(
        "japanese|日本語|japonés|japonais|japanisch",
        "です ます について",
        ("{topic}のご紹介です。", "{topic}はもうお試しですか。", "{topic}が好きな方へ、うれしいお知らせです。"),
        ("毎日心を込めて作っています。", "細部へのこだわりが違いを生みます。", "何度でも楽しみたくなります。"),
        ("ぜひお越しください。", "詳しくはページをご覧ください。", "お待ちしています。"),
        "「{topic}」というメッセージをありがとうございます。",
    ),
}
_LANGUAGE_NAMES = "|".join(language.names for language in LANGUAGES.values())
_LANGUAGE_PATTERN = re.compile(
    rf"\b(?:in|into|en|auf|em|op|to)\s+[\"'(]?(?P<name>{_LANGUAGE_NAMES})"
    r"|\b(?:language|lang|locale|idioma|sprache|langue)\b(?:\s+(?:code|tag))?\W{0,4}(?:is\s+)?[\"'`]?"
    rf"(?:(?P<called>{_LANGUAGE_NAMES})|(?P<code>{'|'.join(LANGUAGES)})\b)",
    re.IGNORECASE,
)
_LENGTH_LIMIT_PATTERN = re.compile(
    r"(?<!at least )(?<!minimum )(?<!min )(?<![\d,.])(\d[\d,.]{0,6})[\s-]*"
    r"(?:characters?|chars?|caract[eè]res|caratteri|zeichen|tekens|文字)",
    re.IGNORECASE,
)
_TOPIC_PATTERN = re.compile(
    r"\b(?:about|regarding|promoting|announcing|for|sobre|acerca de|über|für|sur|pour|su|over|voor)\b\s+"
    r"(?P<topic>[^.!?;:\n]{3,90}?)"
    r"(?=[.!?;:,\n]|\s+(?:in|en|auf|em|op|with|within|under|at most|of at most|using|and|con|mit|avec|com)\b|$)",
    re.IGNORECASE,
)
# What a request begins with before it says what it is about.
_REQUEST_VERB_PATTERN = re.compile(
    r"^\s*(?:please\s+)?(?:write|announce|create|make|draft|compose|generate|promote|advertise|introduce|present"
    r"|describe|escribe|anuncia|crea|écris|annonce|schreibe|erstelle|escreva|anuncie|crie|scrivi|annuncia|schrijf)\b\s+",
    re.IGNORECASE,
)
# A comma or a full stop inside a number ends nothing.
_SENTENCE_END_PATTERN = re.compile(r"[.!?;:,](?=\s|$)|\n")
_TOKEN_PATTERN = re.compile(r"\s?\w{1,6}|.", re.DOTALL)


class TextRequest(NamedTuple):
    """What is asked for: `user_message` is the last message of the user, `full_prompt` is everything that was said."""

    user_message: str
    full_prompt: str
    # The hash of the request and of the number of the choice.
    seed: bytes
    exceeds_limit: bool = False
    # Whether `user_message` is what a person wrote, and is to be answered.
    answers: bool = False
    # What the text has to be like, apart from what strangers wrote.
    instructions: str = ""

    def with_choice_seed(self, number: int) -> "TextRequest":
        return self._replace(seed=sha256(self.seed + bytes([number % 256])).digest())


def detect_language(text_request: TextRequest) -> str:
    """Return the language that is asked for, or else that of the prompt."""
    matches = list(_LANGUAGE_PATTERN.finditer(text_request.full_prompt))
    if matches and matches[-1]["code"]:
        return matches[-1]["code"].lower()
    if matches:
        name = (matches[-1]["name"] or matches[-1]["called"]).lower()
        return next(code for code, language in LANGUAGES.items() if name in language.names.split("|"))
    words = set(re.findall(r"\w+", text_request.user_message.lower()))
    hits = {code: len(words & set(language.common_words.split())) for code, language in LANGUAGES.items()}
    best = max(hits, key=lambda code: hits[code])
    return best if hits[best] >= _MIN_HITS else "en"


def find_length_limit(*texts: str) -> int | None:
    """Return the smallest number of characters that an instruction allows."""
    numbers = [int(re.sub(r"\D", "", match[1])) for text in texts for match in _LENGTH_LIMIT_PATTERN.finditer(text)]
    return min((number for number in numbers if number), default=None)


def extract_topic(text_request: TextRequest) -> str:
    if text_request.answers:
        return " ".join(text_request.user_message.split()[:_MAX_TOPIC_WORDS])
    request = remove_quoted_instructions(text_request.user_message)
    quoted = re.search(r"[\"“«](.{3,60}?)[\"”»]", request)
    match = quoted or _TOPIC_PATTERN.search(request)
    message = match[1] if match else _SENTENCE_END_PATTERN.split(_REQUEST_VERB_PATTERN.sub("", request).strip())[0]
    topic = message if match else " ".join(message.split()[:_MAX_TOPIC_WORDS])
    return topic.strip(" .!?,;:\"'") or "our shop"


def build_hashtags(text_request: TextRequest, max_length: int) -> list[str]:
    words = [word.capitalize() for word in re.findall(r"\w{4,}", extract_topic(text_request))] or ["News"]
    return list(dict.fromkeys(f"#{word}" for word in ("".join(words[:2]), *words, "Local", "Today")))[:max_length]


def build_headline(text_request: TextRequest) -> str:
    language = LANGUAGES[detect_language(text_request)]
    opening = language.answer if text_request.answers else _pick_by_byte(language.openings, text_request.seed[0])
    return opening.format(topic=extract_topic(text_request))


def generate_text(text_request: TextRequest, *, about: str = "", max_length: int | None = None) -> str:
    """Write the copy. `about` may contain a limit of its own, and `max_length` is one."""
    values = parse_instructions(text_request.instructions, "" if text_request.answers else text_request.user_message)
    if values.exact_text:
        return values.exact_text[:max_length]
    limits = [limit for limit in (find_length_limit(text_request.full_prompt, about), max_length) if limit]
    language = LANGUAGES[detect_language(text_request)]
    middles = [*language.middles[text_request.seed[1] % 3 :], *language.middles[: text_request.seed[1] % 3]]
    payload = [
        build_headline(text_request),
        *values.mentions,
        *([values.repeated_demands] if values.repeated_demands else ()),
    ]
    sentences = [
        *payload,
        *middles[: 1 + text_request.seed[2] % 2],
        _pick_by_byte(language.closings, text_request.seed[3]),
    ]
    sentences += [" ".join(build_hashtags(text_request, 3))] if values.has_hashtags else []
    if text_request.exceeds_limit and limits:
        return _extend_beyond(min(limits), sentences, middles)
    return _assemble_text(sentences, values, min(limits, default=_DEFAULT_LENGTH))


def _assemble_text(sentences: list[str], instructions: Instructions, limit: int) -> str:
    """Add what has to be at the beginning and at the end, and fit the rest in between."""
    ends = [
        instructions.end,
        "What do you think?" if instructions.ends_with_question else "",
        "🎉" if instructions.has_emoji else "",
    ]
    before, after = instructions.start, " ".join(end for end in ends if end)
    room = limit - len(before) - len(after) - bool(before) - bool(after)
    if room < len(sentences[0]):
        before = after = ""
    middle = _shorten_to_limit(
        [remove_words(instructions.avoided_words, sentence) for sentence in sentences],
        room if before or after else limit,
    )
    text = " ".join(part for part in (before, middle, after) if part)
    return text.upper() if instructions.is_uppercase else text


def split_into_tokens(text: str) -> list[str]:
    """Split a text into pieces as large as those that models count. Joined they are the text."""
    return _TOKEN_PATTERN.findall(text)


def _pick_by_byte(options: Sequence[str], byte: int) -> str:
    return options[byte % len(options)]


def _extend_beyond(limit: int, sentences: list[str], middles: Sequence[str]) -> str:
    text, more = " ".join(sentences), " ".join(["", *middles])
    return text + more * (1 + max(0, limit - len(text)) // len(more))


def _shorten_to_limit(sentences: list[str], limit: int) -> str:
    """Leave out sentences from the end until the rest fits, and if not even the first does, words."""
    for count in range(len(sentences), 0, -1):
        text = " ".join(sentences[:count])
        if len(text) <= limit:
            return text
    cut = sentences[0][: max(1, limit)]
    whole_words = cut.rpartition(" ")[0] if len(sentences[0]) > limit else cut
    return whole_words.rstrip(" ,") or cut
