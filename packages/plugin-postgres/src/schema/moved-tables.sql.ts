// What a crawl that was moved here brings along that nothing here asks for: it is kept for the day on which the crawl moves on.

/** `first_fetch`: of requests that were fetched more than once, when they were first, epoch ms. */
export const MOVED_TABLES: string = `
CREATE TABLE {S}.first_fetch (id bigint PRIMARY KEY, at bigint NOT NULL);
`
