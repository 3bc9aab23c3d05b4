// The door of @avocet/plugin-postgres.
export { postgresReader } from './read/postgres-reader.ts'
export { Lane } from './connection/lane.ts'
export { storeUrl, schemaOf } from './connection/store-url.ts'
export { rejectStore } from './yields/reject-store.ts'
export { sinkStore } from './yields/sink-store.ts'
export { listCrawls, openPostgresReader, probePostgres, removeCrawl, type ListedCrawl } from './catalogue/crawls.ts'
export type { CheckOptions, ServerFacts } from './catalogue/server-check.ts'
