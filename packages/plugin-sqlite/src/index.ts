// The one door of @avocet/plugin-sqlite: the durable frontier, and its read side.
export { sqlite, type SqliteOptions } from './sqlite.ts'
export { openReader } from './open-reader.ts'
export { verifyStore, type StoreFault, type StoreVerdict } from './verify/verify-store.ts'
export type { Synchronous } from './file/connect.ts'
export { rescueStore, type RescueOptions, type StoreRescue } from './rescue/rescue-store.ts'
