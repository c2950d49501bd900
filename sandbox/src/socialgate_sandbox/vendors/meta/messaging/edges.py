"""Which nodes and edges conversations have."""

from socialgate_sandbox.dialects.graph.api import Edges, Finder
from socialgate_sandbox.vendors.meta.messaging import conversations, messages

FINDERS: tuple[Finder, ...] = (conversations.thread_node, conversations.message_node, conversations.person_node)
EDGES: Edges = {
    "POST Page/messages": messages.send,
    "GET Page/conversations": conversations.conversations,
    "GET UnifiedThread/messages": conversations.messages,
}
