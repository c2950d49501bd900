"""What every route shares. An area gets all of it by declaring its routes with `web.route`."""
