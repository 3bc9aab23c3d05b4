// The fetcher of a crawl before there is one: it is made when the crawl begins, so that a configuration that is only read loads no HTTP client.
import { AvocetError } from '../errors.ts'
import type { SecretFetcher } from '../secrets/secret-fetcher.ts'

/** Passes everything on to the fetcher that `load` makes. */
export class LateFetcher {
  readonly #make: () => Promise<SecretFetcher>
  #made: SecretFetcher | undefined

  constructor(make: () => Promise<SecretFetcher>) {
    this.#make = make
  }

  /** Once, before the first request. Throws what making it throws, such as AVO_NODE_TOO_OLD. */
  async load(): Promise<void> {
    this.#made = await this.#make()
  }

  get fetch(): SecretFetcher['fetch'] {
    if (this.#made === undefined) throw new AvocetError('AVO_INTERNAL', 'expected a fetcher that is loaded, got a request before')
    return this.#made.fetch
  }

  /** Which of its optional parts there are is known once it is loaded. */
  get addressesOf(): SecretFetcher['addressesOf'] {
    return this.#made?.addressesOf
  }

  get connections(): SecretFetcher['connections'] {
    return this.#made?.connections
  }

  async close(): Promise<void> {
    await this.#made?.close()
  }
}
