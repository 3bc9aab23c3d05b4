// The table from the scheme of an address to the kind of store, each loaded when it is used.
import type { StoreKind } from './store-kind.ts'
import { isFar } from '../text/store-address.ts'

/** The kind of the store at `address`: a URL, or an absolute path. */
export async function storeKind(address: string): Promise<StoreKind> {
  if (isFar(address)) return (await import('./postgres-kind.ts')).POSTGRES_KIND
  return (await import('./sqlite-kind.ts')).SQLITE_KIND
}

/** Whether there is a store at `address`. Throws AVO_FRONTIER_… where its server does not say. */
export async function storeExists(address: string): Promise<boolean> {
  return (await storeKind(address)).exists(address)
}
