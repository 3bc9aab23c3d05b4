// A step of the model contract: one call of a frontier, made of the model and of the real one, after which their totals agree.
import type { Frontier, HostLease, Leased } from '@avocet/core/store'
import type { AsyncCommand } from 'fast-check'
import { expect } from 'vitest'
import type { FrontierStore } from '@avocet/testkit/contracts'
import type { FrontierModel, ModelHost } from './model.ts'

/** The real side: a store, the frontier of the process that lives, and its visits. */
export interface Real {
  readonly store: FrontierStore
  frontier: Frontier
  readonly visits: Map<string, HostLease>
  readonly out: Map<string, Leased[]>
}

/** One call. */
export type ModelStep = AsyncCommand<FrontierModel, Real>

/** A step, always possible; after it the totals agree. */
export function step(name: string, run: (model: FrontierModel, real: Real) => Promise<void>): ModelStep {
  return {
    check: () => true,
    async run(model, real) {
      await run(model, real)
      const { items: _items, moved: _moved, ...counts } = await real.frontier.reader.counts()
      expect(counts).toEqual(model.counts())
      for (const { hostKey } of model.hosts.values()) {
        expect((await real.frontier.reader.hosts({ hostKey }))[0]).toMatchObject({ waiting: model.waiting(hostKey).length })
      }
    },
    toString: () => name,
  }
}

/** A host that both know. */
export function hostOf(model: FrontierModel, hostKey: string): ModelHost {
  const host = model.hosts.get(hostKey)
  if (host === undefined) throw new Error(`expected a host that the model knows, got ${hostKey}`)
  return host
}
