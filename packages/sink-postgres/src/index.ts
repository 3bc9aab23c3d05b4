// The one door of @avocet/sink-postgres.
export type { PostgresOptions } from './options.ts'
export { postgres } from './postgres.ts'
