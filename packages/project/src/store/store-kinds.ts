// The table from the scheme of an address to the kind of store, each of which loads its library when it is used.
import { isFar } from '../text/store-address.ts'
import { POSTGRES_KIND } from './postgres-kind.ts'
import { SQLITE_KIND } from './sqlite-kind.ts'
import type { StoreKind } from './store-kind.ts'

/** The kind of the store at `address`: a URL, or an absolute path. */
export function storeKind(address: string): StoreKind {
  return isFar(address) ? POSTGRES_KIND : SQLITE_KIND
}

/** Whether there is a store at `address`. Throws AVO_FRONTIER_… where its server does not say. */
export async function storeExists(address: string): Promise<boolean> {
  return storeKind(address).exists(address)
}
