"""Which nodes and edges Pages, their posts, videos and comments have."""

from socialgate_sandbox.dialects.graph.api import Edges, Finder
from socialgate_sandbox.vendors.meta.pages import comments, insights, posts, publish, video_nodes, videos

FINDERS: tuple[Finder, ...] = (posts.post_node, videos.video_node, comments.EDGES.find)
EDGES: Edges = {
    "GET Page/feed": posts.published_posts,
    "GET Page/posts": posts.published_posts,
    "GET Page/published_posts": posts.published_posts,
    "GET Page/scheduled_posts": posts.scheduled_posts,
    "GET Page/ads_posts": posts.ads_posts,
    "GET Page/photos": posts.photos,
    "GET Page/videos": videos.videos,
    "GET Page/video_reels": videos.list_reels,
    "GET Page/stories": posts.stories,
    "GET Page/insights": insights.page_insights,
    "GET PagePost/attachments": posts.attachments,
    **{f"GET {node}/reactions": posts.reactions for node in ("PagePost", "Photo", "Video")},
    **{f"GET {node}/likes": posts.likes for node in ("PagePost", "Photo", "Video")},
    "GET PagePost/insights": insights.post_insights,
    "GET Video/thumbnails": video_nodes.thumbnails,
    "GET Video/video_insights": insights.video_insights,
    "POST Page/feed": publish.create_post,
    "POST Page/photos": publish.create_photo,
    "POST Page/videos": videos.create_video,
    "POST Page/video_reels": videos.reels,
    "POST Page/video_stories": videos.video_stories,
    "POST Page/photo_stories": videos.photo_story,
    "POST Video": videos.change_video,
    "POST Video/thumbnails": videos.set_thumbnail,
    "POST PagePost": publish.update_post,
    "DELETE PagePost": publish.delete_post,
    "DELETE Photo": publish.delete_medium,
    "DELETE Video": publish.delete_medium,
    **{f"GET {node}/comments": comments.list_comments for node in ("PagePost", "Photo", "Video")},
    **{f"POST {node}/comments": comments.comment_on for node in ("PagePost", "Photo", "Video")},
    "GET Comment/comments": comments.list_replies,
    "POST Comment/comments": comments.reply_to,
    "POST Comment/likes": comments.EDGES.like,
    "DELETE Comment/likes": comments.EDGES.like,
    "POST Comment": comments.change,
    "DELETE Comment": comments.EDGES.delete,
}
