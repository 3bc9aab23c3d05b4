// What the frontier contract leaves out: the corners of each method, which our stores must have right, and which nobody needs who writes a first store.
import type { MemoryParts } from '@avocet/core/store'
import type { FrontierContractOptions, FrontierStore } from '@avocet/testkit/contracts'
import { describe, expect, it } from 'vitest'
import { newRequest, openedWith } from '../../packages/testkit/src/contracts/frontier/story.ts'
import { askedAgain } from './asked-again.ts'
import { droppedUnderRetired } from './dropped-under-retired.ts'
import { handlerErrors } from './handler-errors.ts'
import { modelContract } from './model-contract.ts'
import { rejects } from './rejects.ts'
import { keptTimeContract, setbackContract } from './setback.ts'
import { severalProcesses } from './several-processes.ts'
import { trouble } from './trouble.ts'
import { visits } from './visits.ts'

/** How a store of ours keeps time. */
export interface FrontierDetailsOptions extends FrontierContractOptions {
  /** Whether the store keeps the crawl's time itself (`Frontier.tenure`): then no clock of a process moves its waits. Default: it does not. */
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
    memories(make)
    handlerErrors(make)
    rejects(make)
    visits(make)
    if (options.shared) severalProcesses(make)
    modelContract(make)
  })
}

function memories(make: () => FrontierStore): void {
  describe('reader', () => {
    it('hands out one part of the memory of the hosts that mention a text there, page by page', async () => {
      const { frontier } = await openedWith(
        make,
        ['a', 'b', 'c', 'd', 'e', 'f'].map((host) => newRequest(`${host}.example/1`)),
      )
      const { leases } = await frontier.lease({ now: 0, hosts: 9, requestsPerHost: 1 })
      const long = `"${'x'.repeat(3_000)} é"`
      const memories: Readonly<Record<string, MemoryParts>> = {
        'a.example': { core: '[1,{"refused":"é"}]', other: long },
        'b.example': { other: '[1,{"refused":"𝒳"}]', core: '[1,{}]' },
        'c.example': { other: '"é𝒳"', core: `[${long},{"refused":1}]` },
        'd.example': { core: '[1,{"yields":"é refused"}]' },
        'e.example': { core: '[1,{"refused":"𝒳𝒳"}]' },
      }
      await frontier.release(leases.map((lease) => ({ lease, rest: { readyAt: 0, memory: memories[lease.hostKey] ?? {} } })))
      const textsOf = async (part: string, mentioning: string, limit: number): Promise<unknown> => {
        const texts: string[] = []
        for (let after: string | undefined, pages = 0; pages < 20; pages++) {
          const page = await frontier.reader.memories({ part, mentioning, limit, ...(after !== undefined && { after }) })
          expect(page.texts.length).toBeLessThanOrEqual(limit)
          texts.push(...page.texts)
          after = page.next
          if (after === undefined) return texts.sort()
        }
        throw new Error('expected an end, got 20 pages')
      }

      const refusing = ['a', 'c', 'e'].map((host) => memories[`${host}.example`]?.['core']).sort()
      for (const limit of [1, 2, 3, 9]) expect(await textsOf('core', '"refused":', limit)).toEqual(refusing)
      expect(await textsOf('other', '𝒳', 1)).toEqual(['"é𝒳"', '[1,{"refused":"𝒳"}]'])
      expect(await textsOf('core', '%', 9)).toEqual([])
      expect(await textsOf('none', '1', 9)).toEqual([])
    })
  })
}
