// What a fetcher is tested on: the part of its contract that each fetcher supplies.
import type { ProxyServer } from '@avocet/core/plugin'
import type { Fetcher } from '@avocet/core/store'
import type { Felt, SiteModel } from '@avocet/simulator'

/** A fetcher, and the web that it is tested on. */
export interface FetcherOnWeb {
  readonly fetcher: Fetcher
  /** The model with the origins at which it is served. */
  readonly model: SiteModel
  /** The log of a host of the model. */
  felt(host: string): Pick<Felt, 'requests'>
  /** Runs `work` until it settles. On virtual time this drives the clock. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** Through which every exchange goes. Then failures to connect are not asked for: it is the proxy that meets them. */
  readonly proxy?: ProxyServer
  /** It answers with what it has of the pages of the model: no host refuses or fails, and nothing takes time. */
  readonly isRecorded?: true
  close(): Promise<void>
}
