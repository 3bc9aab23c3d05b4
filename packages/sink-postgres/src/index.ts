// Writes the items of an Avocet crawl to a PostgreSQL table, exactly once.
export {}
