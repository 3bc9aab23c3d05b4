// The one door of @avocet/plugin-sqlite: the durable frontier, and its read side; and kept responses.
export { sqlite, type SqliteOptions } from './sqlite.ts'
export { openReader } from './open-reader.ts'
export { verifyStore, type StoreFault, type StoreVerdict } from './verify/verify-store.ts'
export type { Synchronous } from './file/connect.ts'
export { rescueStore, type RescueOptions, type StoreRescue } from './rescue/rescue-store.ts'
export { responseCache, type ResponseCacheOptions } from './cache/response-cache.ts'
export { openResponses, type KeptResponse, type KeptResponses } from './cache/kept-responses.ts'
export { adoptReplay, type Adoption } from './adopt-replay.ts'
