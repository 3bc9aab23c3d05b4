// The door for tools that run crawls, look into stores, and explain what they find.
export type { Explanation } from '../hooks/explain-host.ts'
export type { CoreHostMemory } from '../hosts/core-memory.ts'
export { coreMemory } from '../crawl/stored-memory.ts'
export type { Control, LimitsChange } from '../ports/orders.ts'
export type { CrawlStatus, StoredReport } from '../ports/report.ts'
export type { SinkStatus } from '../ports/sink-record.ts'
export { unlikeJson } from '../values/unlike-json.ts'
