// Writes the items of an Avocet crawl to Parquet files.
export {}
