"""Instructions in a prompt, as far as a program without a model can follow them. Others are repeated in the text."""

import re
from typing import NamedTuple

_QUOTED = r"(?:[\"“„«]|(?<!\w)[\'\u2018])(?P<{0}>[^\"”“»\n]{{1,200}}?)(?:[\"”“»]|[\'\u2019](?!\w))"
_SPEAK = r"\b(?:reply|respond|answer|say|write|output|return)\b"
_EXACT = re.compile(
    rf"{_SPEAK}\s+(?:with\s+)?(?:exactly|only|just)\b(?:\s+(?:with|this|the\s+(?:words?|text|sentence)))*\s*:?\s*"
    rf"{_QUOTED.format('text')}"
    rf"|{_SPEAK}\s+(?:with\s+)?(?:exactly\b\s*:?|(?:only|just)(?:\s+with)?\s*:)\s*(?P<plain>[^.\n\"“„«]{{1,200}})",
    re.IGNORECASE,
)
_START = re.compile(
    rf"\b(?:start|begin|open)\b[^.\n\"“„«]{{0,40}}\bwith\b[^.\n\"“„«]{{0,20}}{_QUOTED.format('text')}",
    re.IGNORECASE,
)
_END = re.compile(
    rf"\b(?:end|finish|close|conclude|sign\s+off)\b[^.\n\"“„«]{{0,40}}\bwith\b[^.\n\"“„«]{{0,20}}{_QUOTED.format('text')}",
    re.IGNORECASE,
)
_NOT = r"(?:never|not|don['\u2019]t|avoid|without)"
_AVOID = re.compile(rf"\b{_NOT}\s+(?:\w+\s+)?(?:the\s+(?:words?|phrase)\s+)?{_QUOTED.format('text')}", re.IGNORECASE)
_MENTION = re.compile(
    r"(?<!never )(?<!not )(?<!n't )(?<!n\u2019t )\b(?:mention|include|point\s+out|say\s+that"
    r"|tell\s+\w+\s+(?:that|about)|remind\s+\w+\s+(?:that|of)|note\s+that)\s+(?:that\s+|the\s+(?:words?|phrase)\s+)?(?P<text>[^.!?;\n]{2,160})",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"\b(?:end|finish|close)\b[^.\n]{0,20}\bwith\s+an?\s+question\b|\bask\s+a\s+question\b", re.IGNORECASE
)
_SHOUT = re.compile(r"\b(?:all\s+caps|capital\s+letters|upper\s?case)\b", re.IGNORECASE)
_EMOJI = re.compile(r"\bemojis?\b", re.IGNORECASE)
_NO_EMOJI = re.compile(rf"\b(?:no|{_NOT})\s+(?:use\s+)?(?:any\s+)?emojis?\b", re.IGNORECASE)
_HASHTAGS = re.compile(r"hashtag", re.IGNORECASE)
_NO_HASHTAGS = re.compile(rf"\b(?:no|{_NOT})\s+(?:use\s+)?(?:any\s+)?hashtags?\b", re.IGNORECASE)
# What a program passes on as the wishes of its user.
_PASSED_ON = re.compile(r"\binstructions\b[^:\n]{0,40}:\s*(?P<text>\S.*)", re.IGNORECASE | re.DOTALL)
_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?]+(?=\s|$)|[.!?](?=\S)[^.!?\n]*)*[.!?]*")
_IMPERATIVE = re.compile(
    r"(?:please\s+)?(?:always|never|do|don['\u2019]t|be|answer|reply|respond|write|use|keep|speak|avoid|make|ask|stay|sound"
    r"|mention|include|end|start|begin|finish|say|tell|give|offer|invite|thank|apologi[sz]e|refer|sign)\b",
    re.IGNORECASE,
)
# What is followed elsewhere: lengths, languages, hashtags, and references to earlier texts.
_FOLLOWED = re.compile(
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
_MAX_ECHO = 160


class Instructions(NamedTuple):
    exact: str = ""
    start: str = ""
    end: str = ""
    mentions: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    echo: str = ""
    shouts: bool = False
    asks: bool = False
    emoji: bool = False
    hashtags: bool = False


def read_instructions(orders: str, subject: str) -> Instructions:
    """Find what a prompt demands. `subject` is its message that says what the text is about."""
    exact, start, end = _EXACT.search(orders), _START.search(orders), _END.search(orders)
    mentioned = [_mention(found) for found in _MENTION.finditer(orders) if not _FOLLOWED.search(found["text"])]
    passed_on = _PASSED_ON.search(orders)
    first, *others = _sentences(subject) or [""]
    style = "" if passed_on else " ".join(found[0] for found in _STYLE.finditer(first))
    more = passed_on["text"] if passed_on else "\n".join([*([f"Write {style}."] if style else ()), *others])
    facts, rest = _sort(more, is_data=bool(passed_on))
    return Instructions(
        exact=(exact["text"] or exact["plain"]).strip() if exact else "",
        start=start["text"] if start else "",
        end=end["text"] if end else "",
        mentions=(*facts, *mentioned),
        avoid=tuple(found["text"] for found in _AVOID.finditer(orders)),
        echo=rest,
        shouts=bool(_SHOUT.search(orders)),
        asks=bool(_QUESTION.search(orders)),
        emoji=bool(_EMOJI.search(orders)) and not _NO_EMOJI.search(orders),
        hashtags=bool(_HASHTAGS.search(orders)) and not _NO_HASHTAGS.search(orders),
    )


def without(words: tuple[str, ...], text: str) -> str:
    """Remove words that must not appear."""
    for word in words:
        text = re.sub(rf"\s*{re.escape(word)}", "", text, flags=re.IGNORECASE)
    return text


def without_quotes(text: str) -> str:
    """Remove instructions with quoted words, which are not what a text is about."""
    for pattern in (_EXACT, _START, _END, _AVOID):
        text = pattern.sub("", text)
    return text


def _sort(text: str, *, is_data: bool) -> tuple[list[str], str]:
    """Separate facts, which can be stated, from demands that nothing here follows, which are repeated."""
    known = (_EXACT, _START, _END, _AVOID, _MENTION, _QUESTION, _SHOUT, _FOLLOWED)
    sentences = [one for one in _sentences(text) if not any(pattern.search(one) for pattern in known)]
    facts = [one for one in sentences if is_data and not _IMPERATIVE.match(one)]
    demands = " ".join(one for one in sentences if one not in facts)
    return [
        _as_sentence(one) for one in facts
    ], f"(As instructed: {demands[:_MAX_ECHO].rstrip('.')}.)" if demands else ""


def _mention(found: re.Match[str]) -> str:
    """State what is to be mentioned. A thing, such as a price, is no sentence yet."""
    text = found["text"].strip()
    is_clause = found[0].removesuffix(found["text"]).rstrip().lower().endswith("that")
    return _as_sentence(text if is_clause else f"Good to know: {text}")


def _sentences(text: str) -> list[str]:
    return [found.strip() for found in _SENTENCE.findall(text) if found.strip(" .!?")]


def _as_sentence(text: str) -> str:
    bare = text.strip(' "“”„«»,')
    return f"{bare[:1].upper()}{bare[1:]}" + ("" if bare.endswith((".", "!", "?")) else ".")
