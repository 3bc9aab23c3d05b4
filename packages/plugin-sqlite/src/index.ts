// The one door of @avocet/plugin-sqlite: the durable frontier, and its read side.
export { sqlite, type SqliteOptions } from './sqlite.ts'
export { openReader } from './open-reader.ts'
export type { Synchronous } from './file/connect.ts'
