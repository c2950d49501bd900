"""Which nodes and edges conversations have."""

from socialgate_sandbox.dialects.graph.api import EdgeHandlers, NodeFinder
from socialgate_sandbox.vendors.meta.messaging import conversations, send_api

NODE_FINDERS: tuple[NodeFinder, ...] = (
    conversations.find_thread_node,
    conversations.find_message_node,
    conversations.find_person_node,
)
EDGE_HANDLERS: EdgeHandlers = {
    "POST Page/messages": send_api.send_message,
    "GET Page/conversations": conversations.list_conversations,
    "GET UnifiedThread/messages": conversations.list_thread_messages,
}
