"""What the endpoints of the simulated OpenAI check, and what they do not."""

from socialgate_sandbox.kit import EndpointCoverage

COVERAGE = (
    EndpointCoverage(
        title="Texts",
        paths=("*/chat/completions", "*/responses"),
        checked=(
            "The API key and quota; the model, and whether it supports the parameters; unknown, missing and wrong "
            "parameters by name; roles, pictures, tools and tool calls of a conversation; JSON schemas, including the "
            "rules of strict ones."
        ),
        not_checked="Context length and tokens are estimates. Instructions are followed by rules, not by a model.",
    ),
    EndpointCoverage(
        title="Images",
        paths=("*/images/*",),
        checked=(
            "The key and quota; model, size, quality, format, number and background; input images, which are read."
        ),
        not_checked="What is in a picture.",
    ),
    EndpointCoverage(
        title="Speech",
        paths=("*/audio/*",),
        checked="The key and quota; model, voice, speed and format; the length of the text.",
        not_checked="Streaming is not available.",
    ),
    EndpointCoverage(
        title="Videos",
        paths=("*/videos*",),
        checked="The key and quota; model, size and length; reference images; the state and lifetime of a job.",
        not_checked="What is in a video.",
    ),
    EndpointCoverage(
        title="Models, moderations and embeddings",
        paths=("*",),
        checked="The key and quota; the model; inputs and dimensions.",
        not_checked="Scores follow from words, not from a model.",
    ),
)
