// What both sides of the torture go by: the process that is tortured, and who looks at what it left.

/** Epoch ms at which every crawl begins: 2026-01-01T00:00:00Z. */
export const BEGINNING = 1_767_225_600_000
/** Start to start, at one host. */
export const DELAY_MS = 1_000
