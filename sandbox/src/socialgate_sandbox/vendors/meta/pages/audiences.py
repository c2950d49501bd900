"""Who sees a Page."""

from socialgate_sandbox.society.audiences import Audiences, posts_of
from socialgate_sandbox.vendors.meta.content import PageComment, Post
from socialgate_sandbox.vendors.meta.state import Page

_POSTS = posts_of(
    Post, PageComment, lambda post: post.visible or post.made, lambda world, post: post.is_published(world)
)
ON_FACEBOOK = Audiences(Page, lambda page: page.followers_count, _POSTS)
