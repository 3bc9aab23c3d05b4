// HTTP over sockets: the fetcher of real crawls, and the resolver of names that it uses.
export type { Resolve } from './lookup.ts'
export { nameResolver, type NameResolver, type NameResolverOptions } from './names/name-resolver.ts'
export { undiciFetcher, type UndiciFetcherOptions } from './undici-fetcher.ts'
