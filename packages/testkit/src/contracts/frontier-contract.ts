// The frontier contract defines the port. The frontiers in memory and on SQLite pass it, and so must every other one.
//
// A store is a factory of frontiers on one place. Each frontier acts as a process of its own; where nothing outlives the process
// (`crash` absent), a run that dies is one that is opened again without having been closed.
import { describe } from 'vitest'
import { againContract } from './frontier/again-contract.ts'
import { askContract } from './frontier/ask-contract.ts'
import { modifiedContract } from './frontier/modified-contract.ts'
import { commitContract } from './frontier/commit-contract.ts'
import { crashContract } from './frontier/crash-contract.ts'
import type { FrontierStore } from './frontier/frontier-store.ts'
import { dropContract } from './frontier/drop-contract.ts'
import { leaseContract } from './frontier/lease-contract.ts'
import { keptTimeContract } from './frontier/kept-time-contract.ts'
import { offerContract } from './frontier/offer-contract.ts'
import { probeContract } from './frontier/probe-contract.ts'
import { handlerErrorsContract } from './frontier/handler-errors-contract.ts'
import { readerContract } from './frontier/reader-contract.ts'
import { hastenContract } from './frontier/hasten-contract.ts'
import { recordsContract } from './frontier/records-contract.ts'
import { rejectsContract } from './frontier/rejects-contract.ts'
import { reopenContract } from './frontier/reopen-contract.ts'
import { setbackContract } from './frontier/setback-contract.ts'
import { sharedContract } from './frontier/shared-contract.ts'
import { toldMemoryContract } from './frontier/told-memory-contract.ts'
import { turnsContract } from './frontier/turns-contract.ts'
import { visitsContract } from './frontier/visits-contract.ts'

/** Options of `frontierContract`. */
export interface FrontierContractOptions {
  /** Whether several frontiers may be open at once, like several processes. */
  readonly shared: boolean
  /** Whether the store keeps the crawl's time itself (`Frontier.tenure`): then no clock of a process moves its waits. Default: it does not. */
  readonly keepsTime?: boolean
}

/**
 * Declares the tests that every frontier must pass. Needs vitest.
 *
 * @example
 * ```ts
 * frontierContract('memory', () => {
 *   const frontier = memoryFrontier()
 *   return { frontier: () => frontier, dispose: () => frontier.close() }
 * }, { shared: false })
 * ```
 */
export function frontierContract(name: string, make: () => FrontierStore, options: FrontierContractOptions): void {
  describe(`frontier ${name}`, () => {
    offerContract(make)
    leaseContract(make)
    probeContract(make)
    turnsContract(make)
    commitContract(make)
    reopenContract(make)
    dropContract(make)
    hastenContract(make)
    againContract(make)
    askContract(make)
    modifiedContract(make)
    crashContract(make)
    describe('opened by a clock that went back', () =>
      options.keepsTime === true ? keptTimeContract(make) : setbackContract(make))
    readerContract(make)
    handlerErrorsContract(make)
    rejectsContract(make)
    recordsContract(make)
    visitsContract(make)
    if (options.shared) sharedContract(make)
    if (options.shared) toldMemoryContract(make)
  })
}
