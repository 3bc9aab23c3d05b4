// How fast the two slow deaths go, so that both webs die alike.

/** A drip: far below the 64 bytes a second that a crawl demands by default. */
export const DRIP_BYTES_PER_SECOND = 1

/** An endless body: ten seconds to the 10 MiB that a crawl takes by default. */
export const ENDLESS_BYTES_PER_SECOND: number = 2 ** 20
