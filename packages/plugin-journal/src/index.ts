// The one door of @avocet/plugin-journal.
export { journal } from './journal.ts'
export { journalOf, type HostJournal, type JournalBucket, type JournalEnd, type RobotsTreatment } from './host-memory.ts'
export { runsOf, type JournalRun, type RanPlugin } from './runs.ts'
export { addedLatency, answersIn, withinMs, type Latency } from './laws/latency.ts'
export type { Waits } from './laws/asked-wait.ts'
