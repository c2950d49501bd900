"""What the products of one family of vendors share: how they authenticate, page and phrase errors."""
