"""The model's words: short marketing copy about what the prompt is about, in its language and within its limits.

The same request is always answered with the same words, because they are chosen by its hash.
"""

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from socialgate_sandbox.kit.instructions import Instructions, read_instructions, without, without_quotes

_USUAL_LENGTH = 320
_TOPIC_WORDS = 8
_LEAST_HITS = 2


class Language(NamedTuple):
    """`names` are what a prompt calls it, `common` are words by which a text in it is recognized."""

    names: str
    common: str
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
_NAMES = "|".join(language.names for language in LANGUAGES.values())
_LANGUAGE = re.compile(
    rf"\b(?:in|into|en|auf|em|op|to)\s+[\"'(]?(?P<name>{_NAMES})"
    r"|\b(?:language|lang|locale|idioma|sprache|langue)\b(?:\s+(?:code|tag))?\W{0,4}(?:is\s+)?[\"'`]?"
    rf"(?:(?P<called>{_NAMES})|(?P<code>{'|'.join(LANGUAGES)})\b)",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"(?<!at least )(?<!minimum )(?<!min )(?<![\d,.])(\d[\d,.]{0,6})[\s-]*"
    r"(?:characters?|chars?|caract[eè]res|caratteri|zeichen|tekens|文字)",
    re.IGNORECASE,
)
_TOPIC = re.compile(
    r"\b(?:about|regarding|promoting|announcing|for|sobre|acerca de|über|für|sur|pour|su|over|voor)\b\s+"
    r"(?P<topic>[^.!?;:\n]{3,90}?)"
    r"(?=[.!?;:,\n]|\s+(?:in|en|auf|em|op|with|within|under|at most|of at most|using|and|con|mit|avec|com)\b|$)",
    re.IGNORECASE,
)
# What a request begins with before it says what it is about.
_ORDER = re.compile(
    r"^\s*(?:please\s+)?(?:write|announce|create|make|draft|compose|generate|promote|advertise|introduce|present"
    r"|describe|escribe|anuncia|crea|écris|annonce|schreibe|erstelle|escreva|anuncie|crie|scrivi|annuncia|schrijf)\b\s+",
    re.IGNORECASE,
)
# A comma or a full stop inside a number ends nothing.
_ENDING = re.compile(r"[.!?;:,](?=\s|$)|\n")
_TOKEN = re.compile(r"\s?\w{1,6}|.", re.DOTALL)


class Brief(NamedTuple):
    """What is asked for: `asked` is the last message of the user, `rules` is everything that was said."""

    asked: str
    rules: str
    # The hash of the request and of the number of the choice.
    seed: bytes
    overrun: bool = False
    # Whether `asked` is what a person wrote, and is to be answered.
    answers: bool = False
    # What the text has to be like, apart from what strangers wrote.
    orders: str = ""

    def choice(self, number: int) -> "Brief":
        return self._replace(seed=sha256(self.seed + bytes([number % 256])).digest())


def language_of(brief: Brief) -> str:
    """Return the language that is asked for, or else that of the prompt."""
    wanted = list(_LANGUAGE.finditer(brief.rules))
    if wanted and wanted[-1]["code"]:
        return wanted[-1]["code"].lower()
    if wanted:
        name = (wanted[-1]["name"] or wanted[-1]["called"]).lower()
        return next(code for code, language in LANGUAGES.items() if name in language.names.split("|"))
    words = set(re.findall(r"\w+", brief.asked.lower()))
    hits = {code: len(words & set(language.common.split())) for code, language in LANGUAGES.items()}
    best = max(hits, key=lambda code: hits[code])
    return best if hits[best] >= _LEAST_HITS else "en"


def limit_of(*texts: str) -> int | None:
    """Return the smallest number of characters that an instruction allows."""
    numbers = [int(re.sub(r"\D", "", found[1])) for text in texts for found in _LIMIT.finditer(text)]
    return min((number for number in numbers if number), default=None)


def topic_of(brief: Brief) -> str:
    if brief.answers:
        return " ".join(brief.asked.split()[:_TOPIC_WORDS])
    asked = without_quotes(brief.asked)
    quoted = re.search(r"[\"“«](.{3,60}?)[\"”»]", asked)
    found = quoted or _TOPIC.search(asked)
    said = found[1] if found else _ENDING.split(_ORDER.sub("", asked).strip())[0]
    topic = said if found else " ".join(said.split()[:_TOPIC_WORDS])
    return topic.strip(" .!?,;:\"'") or "our shop"


def hashtags_of(brief: Brief, most: int) -> list[str]:
    words = [word.capitalize() for word in re.findall(r"\w{4,}", topic_of(brief))] or ["News"]
    return list(dict.fromkeys(f"#{word}" for word in ("".join(words[:2]), *words, "Local", "Today")))[:most]


def headline(brief: Brief) -> str:
    language = LANGUAGES[language_of(brief)]
    opening = language.answer if brief.answers else _pick(language.openings, brief.seed[0])
    return opening.format(topic=topic_of(brief))


def compose(brief: Brief, *, about: str = "", most: int | None = None) -> str:
    """Write the copy. `about` may contain a limit of its own, and `most` is one."""
    wanted = read_instructions(brief.orders, "" if brief.answers else brief.asked)
    if wanted.exact:
        return wanted.exact[:most]
    limits = [limit for limit in (limit_of(brief.rules, about), most) if limit]
    language = LANGUAGES[language_of(brief)]
    middles = [*language.middles[brief.seed[1] % 3 :], *language.middles[: brief.seed[1] % 3]]
    said = [headline(brief), *wanted.mentions, *([wanted.echo] if wanted.echo else ())]
    sentences = [*said, *middles[: 1 + brief.seed[2] % 2], _pick(language.closings, brief.seed[3])]
    sentences += [" ".join(hashtags_of(brief, 3))] if wanted.hashtags else []
    if brief.overrun and limits:
        return _longer_than(min(limits), sentences, middles)
    return _finished(sentences, wanted, min(limits, default=_USUAL_LENGTH))


def _finished(sentences: list[str], wanted: Instructions, limit: int) -> str:
    """Add what has to be at the beginning and at the end, and fit the rest in between."""
    ends = [wanted.end, "What do you think?" if wanted.asks else "", "🎉" if wanted.emoji else ""]
    before, after = wanted.start, " ".join(end for end in ends if end)
    room = limit - len(before) - len(after) - bool(before) - bool(after)
    if room < len(sentences[0]):
        before = after = ""
    middle = _fitting([without(wanted.avoid, one) for one in sentences], room if before or after else limit)
    text = " ".join(part for part in (before, middle, after) if part)
    return text.upper() if wanted.shouts else text


def tokens_of(text: str) -> list[str]:
    """Split a text into pieces as large as those that models count. Joined they are the text."""
    return _TOKEN.findall(text)


def _pick(options: Sequence[str], byte: int) -> str:
    return options[byte % len(options)]


def _longer_than(limit: int, sentences: list[str], middles: Sequence[str]) -> str:
    text, more = " ".join(sentences), " ".join(["", *middles])
    return text + more * (1 + max(0, limit - len(text)) // len(more))


def _fitting(sentences: list[str], limit: int) -> str:
    """Leave out sentences from the end until the rest fits, and if not even the first does, words."""
    for count in range(len(sentences), 0, -1):
        text = " ".join(sentences[:count])
        if len(text) <= limit:
            return text
    cut = sentences[0][: max(1, limit)]
    whole_words = cut.rpartition(" ")[0] if len(sentences[0]) > limit else cut
    return whole_words.rstrip(" ,") or cut
