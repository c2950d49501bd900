"""The Marketing API: ad accounts, campaigns, ad sets, ads, creatives, insights, audiences, pixels and conversions."""
