"""Instructions in a prompt, as far as a program without a model can follow them. Others are repeated in the text."""

import re
from typing import NamedTuple

_QUOTED_TEMPLATE = r"(?:[\"“„«]|(?<!\w)[\'\u2018])(?P<{0}>[^\"”“»\n]{{1,200}}?)(?:[\"”“»]|[\'\u2019](?!\w))"
_SPEAK_VERBS = r"\b(?:reply|respond|answer|say|write|output|return)\b"
_EXACT_PATTERN = re.compile(
    rf"{_SPEAK_VERBS}\s+(?:with\s+)?(?:exactly|only|just)\b(?:\s+(?:with|this|the\s+(?:words?|text|sentence)))*\s*:?\s*"
    rf"{_QUOTED_TEMPLATE.format('text')}"
    rf"|{_SPEAK_VERBS}\s+(?:with\s+)?(?:exactly\b\s*:?|(?:only|just)(?:\s+with)?\s*:)\s*(?P<plain>[^.\n\"“„«]{{1,200}})",
    re.IGNORECASE,
)
_START_PATTERN = re.compile(
    rf"\b(?:start|begin|open)\b[^.\n\"“„«]{{0,40}}\bwith\b[^.\n\"“„«]{{0,20}}{_QUOTED_TEMPLATE.format('text')}",
    re.IGNORECASE,
)
_END_PATTERN = re.compile(
    rf"\b(?:end|finish|close|conclude|sign\s+off)\b[^.\n\"“„«]{{0,40}}\bwith\b[^.\n\"“„«]{{0,20}}{_QUOTED_TEMPLATE.format('text')}",
    re.IGNORECASE,
)
_NEGATION = r"(?:never|not|don['\u2019]t|avoid|without)"
_AVOID_PATTERN = re.compile(
    rf"\b{_NEGATION}\s+(?:\w+\s+)?(?:the\s+(?:words?|phrase)\s+)?{_QUOTED_TEMPLATE.format('text')}", re.IGNORECASE
)
_MENTION_PATTERN = re.compile(
    r"(?<!never )(?<!not )(?<!n't )(?<!n\u2019t )\b(?:mention|include|point\s+out|say\s+that"
    r"|tell\s+\w+\s+(?:that|about)|remind\s+\w+\s+(?:that|of)|note\s+that)\s+(?:that\s+|the\s+(?:words?|phrase)\s+)?(?P<text>[^.!?;\n]{2,160})",
    re.IGNORECASE,
)
_QUESTION_PATTERN = re.compile(
    r"\b(?:end|finish|close)\b[^.\n]{0,20}\bwith\s+an?\s+question\b|\bask\s+a\s+question\b", re.IGNORECASE
)
_UPPERCASE_PATTERN = re.compile(r"\b(?:all\s+caps|capital\s+letters|upper\s?case)\b", re.IGNORECASE)
_EMOJI_PATTERN = re.compile(r"\bemojis?\b", re.IGNORECASE)
_NO_EMOJI_PATTERN = re.compile(rf"\b(?:no|{_NEGATION})\s+(?:use\s+)?(?:any\s+)?emojis?\b", re.IGNORECASE)
_HASHTAGS_PATTERN = re.compile(r"hashtag", re.IGNORECASE)
_NO_HASHTAGS_PATTERN = re.compile(rf"\b(?:no|{_NEGATION})\s+(?:use\s+)?(?:any\s+)?hashtags?\b", re.IGNORECASE)
# What a program passes on as the wishes of its user.
_USER_INSTRUCTIONS_PATTERN = re.compile(r"\binstructions\b[^:\n]{0,40}:\s*(?P<text>\S.*)", re.IGNORECASE | re.DOTALL)
_SENTENCE_PATTERN = re.compile(r"[^.!?\n]+(?:[.!?]+(?=\s|$)|[.!?](?=\S)[^.!?\n]*)*[.!?]*")
_IMPERATIVE_PATTERN = re.compile(
    r"(?:please\s+)?(?:always|never|do|don['\u2019]t|be|answer|reply|respond|write|use|keep|speak|avoid|make|ask|stay|sound"
    r"|mention|include|end|start|begin|finish|say|tell|give|offer|invite|thank|apologi[sz]e|refer|sign)\b",
    re.IGNORECASE,
)
# What is followed elsewhere: lengths, languages, hashtags, and references to earlier texts.
_HANDLED_ELSEWHERE_PATTERN = re.compile(
    r"\b(?:characters?|chars|words?|hashtags?|emojis?|json|language|locale|another|again|once\s+more|in\s+(?:english"
    r"|spanish|french|german|portuguese|italian|dutch|japanese))\b",
    re.IGNORECASE,
)
# How a text should sound, in the sentence that says what it is about.
_STYLE = re.compile(
    r"\bin\s+(?:(?:the|an?)\s+)?(?:[\w-]+\s+){0,2}?(?:style|tone|voice)\b(?:\s+of\s+(?:an?\s+|the\s+)?[\w-]+)?"
    r"|\blike\s+an?\s+[\w-]+",
    re.IGNORECASE,
)
_MAX_ECHO_LENGTH = 160


class Instructions(NamedTuple):
    exact_text: str = ""
    start: str = ""
    end: str = ""
    mentions: tuple[str, ...] = ()
    avoided_words: tuple[str, ...] = ()
    repeated_demands: str = ""
    is_uppercase: bool = False
    ends_with_question: bool = False
    has_emoji: bool = False
    has_hashtags: bool = False


def parse_instructions(prompt: str, topic_message: str) -> Instructions:
    """Find what a prompt demands. `topic_message` is its message that says what the text is about."""
    exact, start, end = _EXACT_PATTERN.search(prompt), _START_PATTERN.search(prompt), _END_PATTERN.search(prompt)
    mentioned = [
        _mention(match)
        for match in _MENTION_PATTERN.finditer(prompt)
        if not _HANDLED_ELSEWHERE_PATTERN.search(match["text"])
    ]
    passed_on = _USER_INSTRUCTIONS_PATTERN.search(prompt)
    first, *others = _split_sentences(topic_message) or [""]
    style = "" if passed_on else " ".join(match[0] for match in _STYLE.finditer(first))
    more = passed_on["text"] if passed_on else "\n".join([*([f"Write {style}."] if style else ()), *others])
    facts, rest = _separate_facts(more, is_data=bool(passed_on))
    return Instructions(
        exact_text=(exact["text"] or exact["plain"]).strip() if exact else "",
        start=start["text"] if start else "",
        end=end["text"] if end else "",
        mentions=(*facts, *mentioned),
        avoided_words=tuple(match["text"] for match in _AVOID_PATTERN.finditer(prompt)),
        repeated_demands=rest,
        is_uppercase=bool(_UPPERCASE_PATTERN.search(prompt)),
        ends_with_question=bool(_QUESTION_PATTERN.search(prompt)),
        has_emoji=bool(_EMOJI_PATTERN.search(prompt)) and not _NO_EMOJI_PATTERN.search(prompt),
        has_hashtags=bool(_HASHTAGS_PATTERN.search(prompt)) and not _NO_HASHTAGS_PATTERN.search(prompt),
    )


def remove_words(words: tuple[str, ...], text: str) -> str:
    """Remove words that must not appear."""
    for word in words:
        text = re.sub(rf"\s*{re.escape(word)}", "", text, flags=re.IGNORECASE)
    return text


def remove_quoted_instructions(text: str) -> str:
    """Remove instructions with quoted words, which are not what a text is about."""
    for pattern in (_EXACT_PATTERN, _START_PATTERN, _END_PATTERN, _AVOID_PATTERN):
        text = pattern.sub("", text)
    return text


def _separate_facts(text: str, *, is_data: bool) -> tuple[list[str], str]:
    """Separate facts, which can be stated, from demands that nothing here follows, which are repeated."""
    known = (
        _EXACT_PATTERN,
        _START_PATTERN,
        _END_PATTERN,
        _AVOID_PATTERN,
        _MENTION_PATTERN,
        _QUESTION_PATTERN,
        _UPPERCASE_PATTERN,
        _HANDLED_ELSEWHERE_PATTERN,
    )
    sentences = [value for value in _split_sentences(text) if not any(pattern.search(value) for pattern in known)]
    facts = [sentence for sentence in sentences if is_data and not _IMPERATIVE_PATTERN.match(sentence)]
    demands = " ".join(sentence for sentence in sentences if sentence not in facts)
    return [
        _format_sentence(fact) for fact in facts
    ], f"(As instructed: {demands[:_MAX_ECHO_LENGTH].rstrip('.')}.)" if demands else ""


def _mention(match: re.Match[str]) -> str:
    """State what is to be mentioned. A thing, such as a price, is no sentence yet."""
    text = match["text"].strip()
    is_clause = match[0].removesuffix(match["text"]).rstrip().lower().endswith("that")
    return _format_sentence(text if is_clause else f"Good to know: {text}")


def _split_sentences(text: str) -> list[str]:
    return [result.strip() for result in _SENTENCE_PATTERN.findall(text) if result.strip(" .!?")]


def _format_sentence(text: str) -> str:
    bare = text.strip(' "“”„«»,')
    return f"{bare[:1].upper()}{bare[1:]}" + ("" if bare.endswith((".", "!", "?")) else ".")
