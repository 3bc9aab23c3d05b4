// The door of @avocet/plugin-postgres.
export { listCrawls, openPostgresReader, probePostgres, removeCrawl, type ListedCrawl } from './catalogue/crawls.ts'
export type { CheckOptions, ServerFacts } from './catalogue/server-check.ts'
export { postgres, type PostgresFrontier, type PostgresOptions } from './postgres.ts'
export type { Lifetimes, TimeSources } from './process/lifetimes.ts'
export type { Durability } from './store.ts'
