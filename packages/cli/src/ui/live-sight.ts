// What a process that crawls, or supervises those that do, can show beside the store. What it promises is asked while a page shows it, and at no other time.
import type { Series } from '@avocet/dashboard'
import type { LiveCloseUp, LiveHosts, LiveRow } from '../view/live-hosts.ts'
import type { Scene } from '../view/scene.ts'

/** A running crawl, looked at. */
export interface LiveSight {
  /** The crawl as it is; undefined before it has shown anything. */
  scene(): Scene | undefined
  /** Refusals of this run. */
  readonly refusals: number
  /** Each second of the last minutes. `now`: epoch ms. */
  lately(now: number): Series
  /** The hosts at work, and what holds those that were given back. */
  hosts(): Promise<LiveHosts>
  /** What rows of hosts at work show beside that; those of which nothing is known are missing. */
  rows(hostKeys: readonly string[]): Promise<ReadonlyMap<string, LiveRow>>
  /** One host. */
  host(hostKey: string): Promise<LiveCloseUp>
}
