// What the frontier contract leaves out: the corners of each method, which our stores must have right, and which nobody needs who writes a first store.
import type { FrontierContractOptions, FrontierStore } from '@avocet/testkit/contracts'
import { describe } from 'vitest'
import { askedAgain } from './asked-again.ts'
import { droppedUnderRetired } from './dropped-under-retired.ts'
import { handlerErrors } from './handler-errors.ts'
import { modelContract } from './model-contract.ts'
import { rejects } from './rejects.ts'
import { keptTimeContract, setbackContract } from './setback.ts'
import { severalProcesses } from './several-processes.ts'
import { trouble } from './trouble.ts'
import { visits } from './visits.ts'
import { watchModel } from './watch-model.ts'
import { watchedPages } from './watched-pages.ts'

/** How a store of ours keeps time. */
export interface FrontierDetailsOptions extends FrontierContractOptions {
  /** Whether the store keeps the crawl's time itself (`Sharing.tenure`): then no clock of a process moves its waits. Default: it does not. */
  readonly keepsTime?: boolean
}

/** Declares, beside `frontierContract`, what else our stores must do, and that they agree with the model. */
export function frontierDetails(name: string, make: () => FrontierStore, options: FrontierDetailsOptions): void {
  describe(`details of frontier ${name}`, () => {
    askedAgain(make)
    trouble(make)
    droppedUnderRetired(make)
    describe('opened by a clock that went back', () =>
      options.keepsTime === true ? keptTimeContract(make) : setbackContract(make))
    handlerErrors(make)
    rejects(make)
    visits(make)
    watchedPages(make)
    if (options.shared) severalProcesses(make)
    modelContract(make)
    watchModel(make, options)
  })
}
