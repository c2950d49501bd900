"""Formatted texts: HTML, MarkdownV2 and the older Markdown as Telegram reads them, and the entities it detects.

Offsets and lengths count UTF-16 units.
"""

import re
from html import unescape
from typing import Any

from socialgate_sandbox.kit import Call
from socialgate_sandbox.vendors.telegram.errors import build_bad_request, require
from socialgate_sandbox.vendors.telegram.method_parameters import get_json_value, get_text, to_integer
from socialgate_sandbox.vendors.telegram.state import Json

_ENTITY_TYPES_BY_TAG = {
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
_TAG_PATTERN = re.compile(r"<(/?)([a-zA-Z-]+)((?:\s[^<>]*)?)>")
_ATTRIBUTE_PATTERN = re.compile(r"""([a-z-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")
_LANGUAGE_PATTERN = re.compile(r"([A-Za-z0-9_+#.-]+)\n")
_CUSTOM_EMOJI_PREFIX = "tg://emoji?id="
_ENTITY_TYPES_BY_MARK = {"*": "bold", "_": "italic", "__": "underline", "~": "strikethrough", "||": "spoiler"}
_RESERVED_CHARACTERS = "_*[]()~`>#+-=|{}.!"
_DETECTED_ENTITY_PATTERN = re.compile(
    r"(?P<url>https?://[^\s<>\"]*[^\s<>\".,;:!?)\]])"
    r"|(?P<email>[\w.+-]+@[\w-]+\.[\w.-]*\w)"
    r"|(?<![\w@])(?P<mention>@[A-Za-z]\w{3,31})"
    r"|(?<![\w#])(?P<hashtag>#\w+)"
    r"|(?<![\w/])(?P<bot_command>/[A-Za-z0-9_]{1,64}(?:@\w+)?)"
)
_MAX_BYTES = 1 << 15


def count_utf16_units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def parse_formatted_param(call: Call, name: str, entities: str) -> tuple[str, list[Json]]:
    """Read a text of a call with its formatting."""
    return parse_formatted_text(
        get_text(call, name), get_text(call, "parse_mode"), get_json_value(call, entities, "message entities") or []
    )


def parse_formatted_text(source: str, mode: str, entities: Any) -> tuple[str, list[Json]]:
    require(len(source.encode()) <= _MAX_BYTES, "text is too long")
    mode = mode.lower()
    if not source or mode in {"", "none"}:
        return _strip_and_detect(source, _validate_entities(entities))
    if mode == "html":
        return _strip_and_detect(*_parse_html(source))
    if mode == "markdownv2":
        return _strip_and_detect(*_MarkdownV2Parser(source).parse())
    if mode == "markdown":
        return _strip_and_detect(*_parse_legacy_markdown(source))
    raise build_bad_request("unsupported parse_mode")


def _validate_entities(entities: Any) -> list[Json]:
    if not isinstance(entities, list):
        return []
    for entity in entities:
        if not isinstance(entity, dict) or "type" not in entity:
            raise build_bad_request("can't parse MessageEntity: expected an Object")
    return [
        entity | {"offset": to_integer(entity.get("offset")), "length": to_integer(entity.get("length"))}
        for entity in entities
    ]


def _strip_and_detect(text: str, entities: list[Json]) -> tuple[str, list[Json]]:
    """Strip the text and add the entities detected in it."""
    lead = count_utf16_units(text) - count_utf16_units(text.lstrip())
    clean = text.strip()
    longest = count_utf16_units(clean)
    kept = []
    for entity in entities:
        start = max(entity["offset"] - lead, 0)
        end = min(entity["offset"] + entity["length"] - lead, longest)
        if end > start:
            kept.append(entity | {"offset": start, "length": end - start})
    return clean, sorted(
        [*kept, *_detect_entities(clean, kept)], key=lambda entity: (entity["offset"], -entity["length"])
    )


def _detect_entities(text: str, entities: list[Json]) -> list[Json]:
    taken = [
        (entity["offset"], entity["offset"] + entity["length"])
        for entity in entities
        if entity["type"] in _EXCLUSIVE_ENTITY_TYPES
    ]
    result = []
    for match in _DETECTED_ENTITY_PATTERN.finditer(text):
        start, length = count_utf16_units(text[: match.start()]), count_utf16_units(match.group())
        if not any(start < end and begin < start + length for begin, end in taken):
            result.append({"offset": start, "length": length, "type": match.lastgroup})
    return result


_EXCLUSIVE_ENTITY_TYPES = {
    "code",
    "pre",
    "text_link",
    "text_mention",
    "url",
    "email",
    "mention",
    "hashtag",
    "bot_command",
}


def _parse_html(source: str) -> tuple[str, list[Json]]:
    text, entities, open_tags, place = "", [], [], 0
    for match in _TAG_PATTERN.finditer(source):
        text += unescape(source[place : match.start()])
        place = match.end()
        offset, name = len(source[: match.start()].encode()), match.group(2).lower()
        if not match.group(1):
            require(
                name in _ENTITY_TYPES_BY_TAG,
                f'can\'t parse entities: Unsupported start tag "{name}" at byte offset {offset}',
            )
            open_tags.append((name, count_utf16_units(text), match.group(3)))
            continue
        require(open_tags, f"can't parse entities: Unexpected end tag at byte offset {offset}")
        opened, start, attributes = open_tags.pop()
        if opened != name:
            raise build_bad_request(
                f"can't parse entities: Unmatched end tag at byte offset {offset}, "
                f'expected "</{opened}>", found "</{name}>"'
            )
        inside = open_tags[-1] if open_tags else ("", -1, "")
        if name == "code" and inside[0] == "pre" and inside[1] == start:
            # It gives the language of the surrounding block.
            open_tags[-1] = (*inside[:2], attributes)
        else:
            entities += _build_tag_entity(
                name, _parse_attributes(attributes), start, count_utf16_units(text) - start, offset
            )
    if open_tags:
        raise build_bad_request(
            f"can't parse entities: Can't find end tag corresponding to start tag \"{open_tags[-1][0]}\""
        )
    return text + unescape(source[place:]), entities


def _parse_attributes(source: str) -> dict[str, str]:
    return {
        name.lower(): unescape(item or two or three)
        for name, item, two, three in _ATTRIBUTE_PATTERN.findall(source.strip())
    }


def _build_tag_entity(name: str, attributes: dict[str, str], start: int, length: int, offset: int) -> list[Json]:
    if name == "span" and attributes.get("class") != "tg-spoiler":
        raise build_bad_request(
            f'can\'t parse entities: Tag "span" must have class "tg-spoiler" at byte offset {offset}'
        )
    if length == 0 or (name == "a" and "href" not in attributes):
        return []
    entity: Json = {"offset": start, "length": length, "type": _ENTITY_TYPES_BY_TAG[name]}
    if name == "a":
        entity["url"] = attributes["href"]
    elif name == "tg-emoji":
        entity["custom_emoji_id"] = attributes.get("emoji-id", "")
    elif name == "blockquote" and "expandable" in attributes:
        entity["type"] = "expandable_blockquote"
    elif name == "pre" and attributes.get("class", "").startswith("language-"):
        entity["language"] = attributes["class"].removeprefix("language-")
    return [entity]


def _parse_legacy_markdown(source: str) -> tuple[str, list[Json]]:
    """Read the older Markdown, which has no nesting."""
    text, entities, place = "", [], 0
    while place < len(source):
        mark = "```" if source.startswith("```", place) else source[place]
        if mark == "\\" and source[place + 1 : place + 2] in {*_LEGACY_ENTITY_TYPES_BY_MARK, "["}:
            text, place = text + source[place + 1], place + 2
            continue
        if mark not in {*_LEGACY_ENTITY_TYPES_BY_MARK, "["}:
            text, place = text + mark, place + 1
            continue
        end = source.find("]" if mark == "[" else mark, place + len(mark))
        if end < 0:
            offset = len(source[:place].encode())
            raise build_bad_request(
                f"can't parse entities: Can't find end of the entity starting at byte offset {offset}"
            )
        start, inside = count_utf16_units(text), source[place + len(mark) : end]
        more, inside, place = _parse_legacy_entity(source, mark, inside, end)
        text += inside
        length = count_utf16_units(inside)
        entities += [{"offset": start, "length": length} | more] if length and more else []
    return text, entities


def _parse_legacy_entity(source: str, mark: str, inner_text: str, end: int) -> tuple[Json, str, int]:
    """Return what a marker means, the text in it, and where the next one starts."""
    if mark == "[":
        target = re.compile(r"\]\(([^)]*)\)").match(source, end)
        return (
            ({"type": "text_link", "url": target[1]}, inner_text, target.end()) if target else ({}, inner_text, end + 1)
        )
    more: Json = {"type": _LEGACY_ENTITY_TYPES_BY_MARK[mark]}
    if mark == "```":
        language, inner_text = _split_language(inner_text)
        more |= language
    return more, inner_text, end + len(mark)


_LEGACY_ENTITY_TYPES_BY_MARK = {"*": "bold", "_": "italic", "`": "code", "```": "pre"}


def _split_language(inner_text: str) -> tuple[Json, str]:
    """Remove the name of a language from the first line of a block."""
    match = _LANGUAGE_PATTERN.match(inner_text)
    if match is not None:
        return {"language": match[1]}, inner_text[match.end() :]
    return {}, inner_text.removeprefix("\n")


class _MarkdownV2Parser:
    """MarkdownV2. Every special character is a marker or escaped."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._position = 0
        self._text = ""
        self._entities: list[Json] = []
        self._open_marks: list[tuple[str, int, int]] = []
        # Where a quotation starts that has not ended yet.
        self._quote_start: int | None = None

    def parse(self) -> tuple[str, list[Json]]:
        while self._position < len(self._source):
            if not self._parse_quote_boundary():
                self._parse_next()
        if self._open_marks:
            mark, _, offset = self._open_marks[-1]
            raise build_bad_request(
                f"can't parse entities: Can't find end of {_get_mark_title(mark)} entity at byte offset {offset}"
            )
        self._end_quote("blockquote")
        return self._text, self._entities

    def _parse_quote_boundary(self) -> bool:
        """Read what starts or ends a quotation: its lines start with `>`, and a collapsed one ends with `||`."""
        value, place = self._source, self._position
        begins = place == 0 or value[place - 1] == "\n"
        if begins and value.startswith(("**>", ">"), place):
            if value[place] == "*":
                self._end_quote("blockquote")
            self._position += value.index(">", place) - place + 1
            self._quote_start = count_utf16_units(self._text) if self._quote_start is None else self._quote_start
            return True
        is_spoiler = any(mark == "||" for mark, _, _ in self._open_marks)
        if self._quote_start is not None and not is_spoiler and value[place : place + 3] in {"||", "||\n"}:
            self._position += 2
            self._end_quote("expandable_blockquote")
            return True
        if value[place] == "\n" and value[place + 1 : place + 2] != ">":
            self._end_quote("blockquote")
        return False

    def _end_quote(self, kind: str) -> None:
        if self._quote_start is not None:
            self._add_entity(kind, self._quote_start)
        self._quote_start = None

    def _parse_next(self) -> None:
        value, place = self._source, self._position
        if value[place] == "\\" and place + 1 < len(value) and ord(value[place + 1]) in range(1, 127):
            self._append_text(value[place + 1], 2)
        elif value.startswith("```", place):
            self._parse_code("```", "pre")
        elif value[place] == "`":
            self._parse_code("`", "code")
        elif mark := self._find_mark():
            self._toggle_mark(mark)
        elif value.startswith(("[", "!["), place):
            self._open_mark("![" if value[place] == "!" else "[")
        elif value[place] == "]" and self._open_marks and self._open_marks[-1][0].endswith("["):
            self._close_link()
        elif value[place] in _RESERVED_CHARACTERS:
            raise build_bad_request(
                f"can't parse entities: Character '{value[place]}' is reserved and must be escaped with the preceding "
                "'\\'"
            )
        else:
            self._append_text(value[place], 1)

    def _append_text(self, text: str, width: int) -> None:
        self._text += text
        self._position += width

    def _find_mark(self) -> str | None:
        return next(
            (mark for mark in ("__", "||", "*", "_", "~") if self._source.startswith(mark, self._position)), None
        )

    def _open_mark(self, mark: str) -> None:
        self._open_marks.append((mark, count_utf16_units(self._text), len(self._source[: self._position].encode())))
        self._position += len(mark)

    def _toggle_mark(self, mark: str) -> None:
        if self._open_marks and self._open_marks[-1][0] == mark:
            _, start, _ = self._open_marks.pop()
            self._position += len(mark)
            self._add_entity(_ENTITY_TYPES_BY_MARK[mark], start)
        else:
            self._open_mark(mark)

    def _parse_code(self, fence: str, kind: str) -> None:
        end = self._source.find(fence, self._position + len(fence))
        if end < 0:
            offset = len(self._source[: self._position].encode())
            raise build_bad_request(
                f"can't parse entities: Can't find end of {kind.capitalize()} entity at byte offset {offset}"
            )
        inside = re.sub(r"\\([\\`])", r"\1", self._source[self._position + len(fence) : end])
        more, inside = _split_language(inside) if kind == "pre" else ({}, inside)
        start = count_utf16_units(self._text)
        self._text += inside
        self._position = end + len(fence)
        self._add_entity(kind, start, **more)

    def _close_link(self) -> None:
        mark, start, _ = self._open_marks.pop()
        target = re.compile(r"\]\(([^)]*)\)").match(self._source, self._position)
        self._position = self._position + 1 if target is None else target.end()
        if target is not None and mark == "![":
            self._add_entity("custom_emoji", start, custom_emoji_id=target[1].removeprefix(_CUSTOM_EMOJI_PREFIX))
        elif target is not None:
            self._add_entity("text_link", start, url=target[1])

    def _add_entity(self, kind: str, start: int, **extra_fields: str) -> None:
        length = count_utf16_units(self._text) - start
        if length:
            self._entities.append({"offset": start, "length": length, "type": kind, **extra_fields})


def _get_mark_title(mark: str) -> str:
    return "Link" if mark.endswith("[") else _ENTITY_TYPES_BY_MARK[mark].capitalize()
