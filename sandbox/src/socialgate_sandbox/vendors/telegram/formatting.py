"""Formatted texts: HTML, MarkdownV2 and the older Markdown as Telegram reads them, and the entities it detects.

Offsets and lengths count UTF-16 units.
"""

import re
from html import unescape
from typing import Any

from socialgate_sandbox.kit import Call
from socialgate_sandbox.vendors.telegram.args import text_of, value_of, whole
from socialgate_sandbox.vendors.telegram.errors import bad_request, require
from socialgate_sandbox.vendors.telegram.state import Json

_TAGS = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "u": "underline",
    "ins": "underline",
    "s": "strikethrough",
    "strike": "strikethrough",
    "del": "strikethrough",
    "tg-spoiler": "spoiler",
    "span": "spoiler",
    "code": "code",
    "pre": "pre",
    "blockquote": "blockquote",
    "a": "text_link",
    "tg-emoji": "custom_emoji",
}
_TAG = re.compile(r"<(/?)([a-zA-Z-]+)((?:\s[^<>]*)?)>")
_ATTRIBUTE = re.compile(r"""([a-z-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")
_LANGUAGE = re.compile(r"([A-Za-z0-9_+#.-]+)\n")
_EMOJI = "tg://emoji?id="
_MARKS = {"*": "bold", "_": "italic", "__": "underline", "~": "strikethrough", "||": "spoiler"}
_RESERVED = "_*[]()~`>#+-=|{}.!"
_FOUND = re.compile(
    r"(?P<url>https?://[^\s<>\"]*[^\s<>\".,;:!?)\]])"
    r"|(?P<email>[\w.+-]+@[\w-]+\.[\w.-]*\w)"
    r"|(?<![\w@])(?P<mention>@[A-Za-z]\w{3,31})"
    r"|(?<![\w#])(?P<hashtag>#\w+)"
    r"|(?<![\w/])(?P<bot_command>/[A-Za-z0-9_]{1,64}(?:@\w+)?)"
)
_LONGEST_BYTES = 1 << 15


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def formatted(call: Call, name: str, entities: str) -> tuple[str, list[Json]]:
    """Read a text of a call with its formatting."""
    return marked(text_of(call, name), text_of(call, "parse_mode"), value_of(call, entities, "message entities") or [])


def marked(given: str, mode: str, entities: Any) -> tuple[str, list[Json]]:
    require(len(given.encode()) <= _LONGEST_BYTES, "text is too long")
    mode = mode.lower()
    if not given or mode in {"", "none"}:
        return _stripped(given, _valid(entities))
    if mode == "html":
        return _stripped(*_from_html(given))
    if mode == "markdownv2":
        return _stripped(*_Markdown(given).parsed())
    if mode == "markdown":
        return _stripped(*_from_older(given))
    raise bad_request("unsupported parse_mode")


def _valid(entities: Any) -> list[Json]:
    if not isinstance(entities, list):
        return []
    for entity in entities:
        if not isinstance(entity, dict) or "type" not in entity:
            raise bad_request("can't parse MessageEntity: expected an Object")
    return [
        entity | {"offset": whole(entity.get("offset")), "length": whole(entity.get("length"))} for entity in entities
    ]


def _stripped(text: str, entities: list[Json]) -> tuple[str, list[Json]]:
    """Strip the text and add the entities detected in it."""
    lead = units(text) - units(text.lstrip())
    clean = text.strip()
    longest = units(clean)
    kept = []
    for entity in entities:
        start = max(entity["offset"] - lead, 0)
        end = min(entity["offset"] + entity["length"] - lead, longest)
        if end > start:
            kept.append(entity | {"offset": start, "length": end - start})
    return clean, sorted([*kept, *_found(clean, kept)], key=lambda entity: (entity["offset"], -entity["length"]))


def _found(text: str, entities: list[Json]) -> list[Json]:
    taken = [(one["offset"], one["offset"] + one["length"]) for one in entities if one["type"] in _CLOSED]
    found = []
    for match in _FOUND.finditer(text):
        start, length = units(text[: match.start()]), units(match.group())
        if not any(start < end and begin < start + length for begin, end in taken):
            found.append({"offset": start, "length": length, "type": match.lastgroup})
    return found


_CLOSED = {"code", "pre", "text_link", "text_mention", "url", "email", "mention", "hashtag", "bot_command"}


def _from_html(given: str) -> tuple[str, list[Json]]:
    text, entities, open_tags, place = "", [], [], 0
    for match in _TAG.finditer(given):
        text += unescape(given[place : match.start()])
        place = match.end()
        offset, name = len(given[: match.start()].encode()), match.group(2).lower()
        if not match.group(1):
            require(name in _TAGS, f'can\'t parse entities: Unsupported start tag "{name}" at byte offset {offset}')
            open_tags.append((name, units(text), match.group(3)))
            continue
        require(open_tags, f"can't parse entities: Unexpected end tag at byte offset {offset}")
        opened, start, attributes = open_tags.pop()
        if opened != name:
            raise bad_request(
                f"can't parse entities: Unmatched end tag at byte offset {offset}, "
                f'expected "</{opened}>", found "</{name}>"'
            )
        inside = open_tags[-1] if open_tags else ("", -1, "")
        if name == "code" and inside[0] == "pre" and inside[1] == start:
            # It gives the language of the surrounding block.
            open_tags[-1] = (*inside[:2], attributes)
        else:
            entities += _tag_entity(name, _attributes(attributes), start, units(text) - start, offset)
    if open_tags:
        raise bad_request(f"can't parse entities: Can't find end tag corresponding to start tag \"{open_tags[-1][0]}\"")
    return text + unescape(given[place:]), entities


def _attributes(given: str) -> dict[str, str]:
    return {name.lower(): unescape(one or two or three) for name, one, two, three in _ATTRIBUTE.findall(given.strip())}


def _tag_entity(name: str, attributes: dict[str, str], start: int, length: int, offset: int) -> list[Json]:
    if name == "span" and attributes.get("class") != "tg-spoiler":
        raise bad_request(f'can\'t parse entities: Tag "span" must have class "tg-spoiler" at byte offset {offset}')
    if length == 0 or (name == "a" and "href" not in attributes):
        return []
    entity: Json = {"offset": start, "length": length, "type": _TAGS[name]}
    if name == "a":
        entity["url"] = attributes["href"]
    elif name == "tg-emoji":
        entity["custom_emoji_id"] = attributes.get("emoji-id", "")
    elif name == "blockquote" and "expandable" in attributes:
        entity["type"] = "expandable_blockquote"
    elif name == "pre" and attributes.get("class", "").startswith("language-"):
        entity["language"] = attributes["class"].removeprefix("language-")
    return [entity]


def _from_older(given: str) -> tuple[str, list[Json]]:
    """Read the older Markdown, which has no nesting."""
    text, entities, place = "", [], 0
    while place < len(given):
        mark = "```" if given.startswith("```", place) else given[place]
        if mark == "\\" and given[place + 1 : place + 2] in {*_OLDER, "["}:
            text, place = text + given[place + 1], place + 2
            continue
        if mark not in {*_OLDER, "["}:
            text, place = text + mark, place + 1
            continue
        end = given.find("]" if mark == "[" else mark, place + len(mark))
        if end < 0:
            offset = len(given[:place].encode())
            raise bad_request(f"can't parse entities: Can't find end of the entity starting at byte offset {offset}")
        start, inside = units(text), given[place + len(mark) : end]
        more, inside, place = _older_entity(given, mark, inside, end)
        text += inside
        length = units(inside)
        entities += [{"offset": start, "length": length} | more] if length and more else []
    return text, entities


def _older_entity(given: str, mark: str, inside: str, end: int) -> tuple[Json, str, int]:
    """Return what a marker means, the text in it, and where the next one starts."""
    if mark == "[":
        target = re.compile(r"\]\(([^)]*)\)").match(given, end)
        return ({"type": "text_link", "url": target[1]}, inside, target.end()) if target else ({}, inside, end + 1)
    more: Json = {"type": _OLDER[mark]}
    if mark == "```":
        language, inside = _language(inside)
        more |= language
    return more, inside, end + len(mark)


_OLDER = {"*": "bold", "_": "italic", "`": "code", "```": "pre"}


def _language(inside: str) -> tuple[Json, str]:
    """Remove the name of a language from the first line of a block."""
    found = _LANGUAGE.match(inside)
    if found is not None:
        return {"language": found[1]}, inside[found.end() :]
    return {}, inside.removeprefix("\n")


class _Markdown:
    """MarkdownV2. Every special character is a marker or escaped."""

    def __init__(self, given: str) -> None:
        self._given = given
        self._place = 0
        self._text = ""
        self._entities: list[Json] = []
        self._open: list[tuple[str, int, int]] = []
        # Where a quotation starts that has not ended yet.
        self._quote: int | None = None

    def parsed(self) -> tuple[str, list[Json]]:
        while self._place < len(self._given):
            if not self._quoting():
                self._step()
        if self._open:
            mark, _, offset = self._open[-1]
            raise bad_request(f"can't parse entities: Can't find end of {_title(mark)} entity at byte offset {offset}")
        self._end_quote("blockquote")
        return self._text, self._entities

    def _quoting(self) -> bool:
        """Read what starts or ends a quotation: its lines start with `>`, and a collapsed one ends with `||`."""
        given, place = self._given, self._place
        begins = place == 0 or given[place - 1] == "\n"
        if begins and given.startswith(("**>", ">"), place):
            if given[place] == "*":
                self._end_quote("blockquote")
            self._place += given.index(">", place) - place + 1
            self._quote = units(self._text) if self._quote is None else self._quote
            return True
        is_spoiler = any(mark == "||" for mark, _, _ in self._open)
        if self._quote is not None and not is_spoiler and given[place : place + 3] in {"||", "||\n"}:
            self._place += 2
            self._end_quote("expandable_blockquote")
            return True
        if given[place] == "\n" and given[place + 1 : place + 2] != ">":
            self._end_quote("blockquote")
        return False

    def _end_quote(self, kind: str) -> None:
        if self._quote is not None:
            self._add(kind, self._quote)
        self._quote = None

    def _step(self) -> None:
        given, place = self._given, self._place
        if given[place] == "\\" and place + 1 < len(given) and ord(given[place + 1]) in range(1, 127):
            self._take(given[place + 1], 2)
        elif given.startswith("```", place):
            self._fenced("```", "pre")
        elif given[place] == "`":
            self._fenced("`", "code")
        elif mark := self._mark():
            self._toggle(mark)
        elif given.startswith(("[", "!["), place):
            self._begin("![" if given[place] == "!" else "[")
        elif given[place] == "]" and self._open and self._open[-1][0].endswith("["):
            self._link()
        elif given[place] in _RESERVED:
            raise bad_request(
                f"can't parse entities: Character '{given[place]}' is reserved and must be escaped with the preceding "
                "'\\'"
            )
        else:
            self._take(given[place], 1)

    def _take(self, text: str, width: int) -> None:
        self._text += text
        self._place += width

    def _mark(self) -> str | None:
        return next((mark for mark in ("__", "||", "*", "_", "~") if self._given.startswith(mark, self._place)), None)

    def _begin(self, mark: str) -> None:
        self._open.append((mark, units(self._text), len(self._given[: self._place].encode())))
        self._place += len(mark)

    def _toggle(self, mark: str) -> None:
        if self._open and self._open[-1][0] == mark:
            _, start, _ = self._open.pop()
            self._place += len(mark)
            self._add(_MARKS[mark], start)
        else:
            self._begin(mark)

    def _fenced(self, fence: str, kind: str) -> None:
        end = self._given.find(fence, self._place + len(fence))
        if end < 0:
            offset = len(self._given[: self._place].encode())
            raise bad_request(
                f"can't parse entities: Can't find end of {kind.capitalize()} entity at byte offset {offset}"
            )
        inside = re.sub(r"\\([\\`])", r"\1", self._given[self._place + len(fence) : end])
        more, inside = _language(inside) if kind == "pre" else ({}, inside)
        start = units(self._text)
        self._text += inside
        self._place = end + len(fence)
        self._add(kind, start, **more)

    def _link(self) -> None:
        mark, start, _ = self._open.pop()
        target = re.compile(r"\]\(([^)]*)\)").match(self._given, self._place)
        self._place = self._place + 1 if target is None else target.end()
        if target is not None and mark == "![":
            self._add("custom_emoji", start, custom_emoji_id=target[1].removeprefix(_EMOJI))
        elif target is not None:
            self._add("text_link", start, url=target[1])

    def _add(self, kind: str, start: int, **more: str) -> None:
        length = units(self._text) - start
        if length:
            self._entities.append({"offset": start, "length": length, "type": kind, **more})


def _title(mark: str) -> str:
    return "Link" if mark.endswith("[") else _MARKS[mark].capitalize()
