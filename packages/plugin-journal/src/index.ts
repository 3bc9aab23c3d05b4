// The one door of @avocet/plugin-journal.
export { crawlHistory, type CrawlHistory, type HistoryQuery, type HistoryStep } from './crawl-history.ts'
export { hostHistory, type HostHistory, type HostStep } from './host-history.ts'
export { journal } from './journal.ts'
export { journalOf, type HostJournal, type JournalBucket, type JournalEnd, type RobotsTreatment } from './host-memory.ts'
export { runsOf, type JournalRun, type RanPlugin } from './runs.ts'
export { addedLatency, answersIn, withinMs, type Latency } from './laws/latency.ts'
export type { Waits } from './laws/asked-wait.ts'
export type { FailureGroup } from './laws/rate-bin.ts'
