// How long a process counts as idle.

/** After it said so, in crawl time; it says so every second. */
export const IDLE_MS = 3_000
