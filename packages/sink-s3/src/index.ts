// Writes the items of an Avocet crawl to S3 or a compatible object store.
export {}
