// How large a store is, by what it holds.

/**
 * Bytes of a store on disk, by what they hold. `requests`: what is known of URLs and hosts, and all that is not listed here; `changes`: of watched items;
 * `memory`: what plugins remember of hosts; `free`: pages that are used again. `daily`: by how many bytes a day it grew lately, by new items and by all else;
 * absent while that is not known.
 */
export type StoreSizes = Readonly<Record<'requests' | 'items' | 'changes' | 'memory' | 'free', number>> & {
  readonly daily?: Readonly<Record<'items' | 'rest', number>>
}
