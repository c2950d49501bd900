"""One folder per area of the API, each a vertical slice: routes, schemas, service, store."""
