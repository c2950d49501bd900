"""The names of formats and types of files, as people say them."""

from collections.abc import Sequence

from socialgate.contracts.publishing import MediaType

# A list that names more is not read to its end.
_MAX_FORMATS = 4
PLURALS = {"image": "images", "video": "videos", "audio": "audio files", "document": "documents"}
_NAMES = {
    "image/jpeg": "JPEG",
    "image/png": "PNG",
    "image/gif": "GIF",
    "image/bmp": "BMP",
    "image/tiff": "TIFF",
    "image/webp": "WebP",
    "image/avif": "AVIF",
    "image/heic": "HEIC",
    "image/heif": "HEIF",
    "video/mp4": "MP4",
    "video/quicktime": "QuickTime",
    "video/3gpp": "3GPP",
    "video/webm": "WebM",
    "video/x-matroska": "Matroska",
    "video/x-msvideo": "AVI",
    "video/x-flv": "FLV",
    "video/mpeg": "MPEG",
    "video/x-ms-wmv": "WMV",
    "audio/mpeg": "MP3",
    "audio/mp4": "M4A",
    "audio/ogg": "Ogg",
    "audio/wav": "WAV",
    "audio/flac": "FLAC",
    "audio/aac": "AAC",
    "audio/amr": "AMR",
    "application/pdf": "PDF",
    "application/zip": "ZIP",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Word",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "Excel",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PowerPoint",
    "text/plain": "text",
}
# Names that begin with the sound of a vowel.
_AN = ("A", "FLV", "M4", "MP", "O")


def count_files(media_type: str, number: int) -> str:
    """Say how many files there are, such as `1 image` or `3 videos`."""
    word = PLURALS[media_type]
    return f"{number} {word.removesuffix('s') if number == 1 else word}"


def describe_usable(media_type: MediaType, mime_types: Sequence[str]) -> str:
    """Say which files of a type can be used, such as `a JPEG or PNG image`."""
    if media_type == "document" or not mime_types or "*/*" in mime_types:
        return "an audio file" if media_type == "audio" else f"{'an' if media_type == 'image' else 'a'} {media_type}"
    names = [name_format(mime_type) for mime_type in mime_types[:_MAX_FORMATS]]
    article = "an" if names[0].startswith(_AN) else "a"
    noun = "file" if media_type == "audio" else media_type
    return f"{article} {', '.join(names[:-1])}{' or ' if names[1:] else ''}{names[-1]} {noun}"


def name_format(mime_type: str) -> str:
    """Return the name of a format; the MIME type itself if it has none."""
    return _NAMES.get(mime_type, mime_type)
