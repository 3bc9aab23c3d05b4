// The door of @avocet/plugin-postgres.
export { hasCrawl, listCrawls, openPostgresReader, probePostgres, removeCrawl, type ProbeOptions } from './catalogue/crawls.ts'
export type { ListedCrawl, MisspeltHint } from './catalogue/meant-crawl.ts'
export type { CheckOptions, ServerFacts } from './catalogue/server-check.ts'
export { schemaOf } from './connection/store-url.ts'
export { postgresFrontier, type PostgresFrontier, type PostgresFrontierOptions } from './postgres.ts'
export type { Lifetimes, TimeSources } from './process/held-time.ts'
export type { Durability } from './store.ts'
