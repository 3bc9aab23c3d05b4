// The one door of @avocet/plugin-journal.
export { journal } from './journal.ts'
export { journalOf, type HostJournal, type JournalBucket } from './host-memory.ts'
export { addedLatency, answersIn, withinMs, type Latency } from './laws/latency.ts'
export type { Waits } from './laws/asked-wait.ts'
