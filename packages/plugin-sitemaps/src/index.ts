// The one door of @avocet/plugin-sitemaps.
export type { ListedUrl, ListKind, ReadList } from './list-reader.ts'
export { listDate } from './list-dates.ts'
export type { SitemapsOptions } from './options.ts'
export { readList, type ReadListOptions } from './read-list.ts'
export { sitemaps } from './sitemaps.ts'
