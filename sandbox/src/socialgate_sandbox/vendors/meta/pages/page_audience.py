"""Who sees a Page."""

from socialgate_sandbox.society.audiences import AudienceReader, build_post_lister
from socialgate_sandbox.vendors.meta.content import PageComment, Post
from socialgate_sandbox.vendors.meta.stored_objects import Page

_list_posts = build_post_lister(
    Post, PageComment, lambda post: post.visible or post.created_at, lambda world, post: post.is_published(world)
)
PAGE_AUDIENCE_READER = AudienceReader(Page, lambda page: page.followers_count, _list_posts)
