// The heavy part of the contract of frontiers: any sequence of calls leaves a store as it leaves the model (model.ts). The sequences are drawn at random and shrunk.
import { systemClock, type Leased, type Outcome } from '@avocet/core/store'
import {
  constant,
  constantFrom,
  integer,
  nat,
  option,
  record,
  uniqueArray,
  array,
  boolean,
  commands,
  assert,
  asyncProperty,
  asyncModelRun,
  type Arbitrary,
} from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from '@avocet/testkit/contracts'
import { FrontierModel, modelOf, newOf, type OfferedRequest } from './model.ts'
import { dropping, failuresReopening, probing, retiring, reviving, revisiting } from './model-rescheduling.ts'
import { hostOf, step, type Real, type ModelStep } from './model-step.ts'
import { DONE, SPEC, unitOf } from '../../packages/testkit/src/contracts/frontier/story.ts'

type Leasing = { hosts: number; n: number; onProbation: number | null }

const TIME_LIMIT_MS = 1_000
const FAILED: Outcome = { kind: 'failed', reason: 'http-404' }

/** Compares with the model, for a second. */
export function modelContract(make: () => FrontierStore): void {
  describe('model', () => {
    it('agrees with the simplest frontier there is, for any calls in any order', async () => {
      const property = asyncProperty(commands(steps(), { size: 'medium', maxCommands: 40 }), async (sequence) => {
        const store = make()
        try {
          const frontier = store.frontier()
          await frontier.open(SPEC, 0)
          await asyncModelRun(
            () => ({ model: new FrontierModel(), real: { store, frontier, visits: new Map(), out: new Map() } }),
            sequence,
          )
        } finally {
          await store.dispose()
        }
      })
      const [clock, from] = [systemClock(), systemClock().monotonic()]
      // A limit of the library would count as a failure on a busy machine.
      for (let runs = 0; runs < 200 && clock.monotonic() - from < TIME_LIMIT_MS; runs += 2) await assert(property, { numRuns: 2 })
    })
  })
}

function steps(): Arbitrary<ModelStep>[] {
  const offered = record({
    host: constantFrom('a.example', 'b.example', 'c.example'),
    path: nat(30),
    priority: integer({ min: -1, max: 1 }),
    notBefore: option(nat(100)),
    again: boolean(),
  })
  return [
    array(offered, { maxLength: 6 }).map(adding),
    record({ hosts: integer({ min: 1, max: 3 }), n: nat(4), onProbation: option(nat(2)) }).map(leasing),
    record({ host: constantFrom('a.example', 'b.example'), n: nat(4), back: nat(3) }).map(refilling),
    record({ kinds: uniqueArray(nat(4), { maxLength: 3 }), links: array(offered, { maxLength: 2 }), at: nat(100) }).map(
      committing,
    ),
    record({ host: constantFrom('a.example', 'b.example', 'c.example'), readyAt: nat(60), onProbation: boolean() }).map(
      releasing,
    ),
    record({ host: constantFrom('a.example', 'b.example'), at: option(nat(60)) }).map(retiring),
    constantFrom('a.example', 'b.example').map(reviving),
    option(nat(60)).map(probing),
    constantFrom('a.example', 'b.example').map(failuresReopening),
    record({ host: constantFrom('a.example', 'b.example'), underRetired: boolean() }).map(dropping),
    record({ id: integer({ min: 1, max: 9 }), at: option(nat(100)) }).map(revisiting),
    nat(40).map(passing),
    constant(reopening('close')),
    constant(reopening('crash')),
  ]
}

function adding(offers: OfferedRequest[]): ModelStep {
  return step(`add(${JSON.stringify(offers)})`, async (model, real) => {
    const added = offers.filter((offer) => model.add(modelOf(offer))).length
    for (const offer of offers) if (offer.again) model.ask(modelOf(offer))
    expect(await real.frontier.add(offers.map((offer) => newOf(offer, model.now)))).toEqual({
      added,
      known: offers.length - added,
    })
  })
}

function leasing({ hosts: n, n: requestsPerHost, onProbation }: Leasing): ModelStep {
  return step(`lease(${n} hosts, ${requestsPerHost} each, ${onProbation} on probation)`, async (model, real) => {
    const { now } = model
    const hosts = [...model.hosts.values()]
    const due = hosts.filter((host) => model.dueAt(host) <= now)
    const later = Math.min(...hosts.map((host) => model.dueAt(host)).filter((at) => at > now))
    const bound = onProbation === null ? {} : { onProbation }
    const { leases, nextReadyAt, leftOnProbation } = await real.frontier.lease({ now, hosts: n, requestsPerHost, ...bound })
    expect(nextReadyAt ?? Infinity).toBe(later)
    const tested = due.filter((host) => host.onProbation).length
    const count = Math.min(n, due.length - tested + Math.min(tested, onProbation ?? Infinity))
    expect(leases).toHaveLength(count)
    const chosen = leases.map(({ hostKey }) => hostOf(model, hostKey))
    const left = due.some((host) => host.onProbation && !chosen.includes(host))
    expect(leftOnProbation ?? false).toBe(onProbation !== null && count < n && left)
    expect([0, 1].some((turn) => model.isInTurns({ due, chosen, turn, onProbation: onProbation ?? Infinity }))).toBe(true)
    for (const lease of leases) {
      hostOf(model, lease.hostKey).held = true
      real.visits.set(lease.hostKey, lease)
      real.out.set(lease.hostKey, [])
      take(model, real, { hostKey: lease.hostKey, n: requestsPerHost, requests: lease.requests })
      expect('retired' in lease).toBe(hostOf(model, lease.hostKey).retired !== undefined)
      expect(lease.waiting).toBe(model.queued(lease.hostKey).filter(({ out }) => !out).length)
    }
  })
}

function refilling({ host: hostKey, n, back }: { host: string; n: number; back: number }): ModelStep {
  return step(`refill(${hostKey}, ${n}, put back the last ${back})`, async (model, real) => {
    const lease = real.visits.get(hostKey)
    if (lease === undefined) return
    const out = real.out.get(hostKey) ?? []
    const putBack = out.splice(out.length - Math.min(back, out.length))
    for (const { fingerprint } of putBack) model.takeBack(fingerprint)
    const { requests } = await real.frontier.refill(
      lease,
      n,
      model.now,
      putBack.map(({ id }) => id),
    )
    if (hostOf(model, hostKey).retired !== undefined) expect(requests).toEqual([])
    else take(model, real, { hostKey, n, requests })
  })
}

function committing({ kinds, links, at }: { kinds: number[]; links: OfferedRequest[]; at: number }): ModelStep {
  return step(`commit(${JSON.stringify({ kinds, links, at })})`, async (model, real) => {
    const units = [...real.visits.values()].flatMap((lease) => {
      const out = real.out.get(lease.hostKey) ?? []
      return kinds.flatMap((kind) => {
        const request = out.shift()
        if (request === undefined) return []
        const retry = { kind: 'retry', at: model.now + at, counted: true, reason: 'reset' } as const
        const again = { ...DONE, again: { at: model.now + at, skipped: 0 } }
        const outcome = [retry, FAILED, again][kind] ?? DONE
        return {
          request,
          outcome,
          turn: unitOf(lease, request, { outcome, links: links.map((offer) => newOf(offer, model.now)) }),
        }
      })
    })
    const added = units.map(({ request, outcome }) => {
      const count = links.filter((offer) => model.add(modelOf(offer))).length
      for (const offer of links) if (offer.again) model.ask(modelOf(offer))
      model.conclude(request, outcome)
      return count
    })
    const results = await real.frontier.commit(units.map(({ turn }) => turn))
    expect(results.map((result) => [result.status, result.added])).toEqual(added.map((count) => ['committed', count]))
  })
}

function releasing({ host: hostKey, ...rest }: { host: string; readyAt: number; onProbation: boolean }): ModelStep {
  return step(`release(${hostKey}, ${JSON.stringify(rest)})`, async (model, real) => {
    const lease = real.visits.get(hostKey)
    if (lease === undefined) return
    await real.frontier.release([{ lease, rest: { ...rest, memory: {} } }])
    real.visits.delete(hostKey)
    Object.assign(hostOf(model, hostKey), rest)
    model.free(hostOf(model, hostKey))
  })
}

function passing(ms: number): ModelStep {
  return step(`pass(${ms} ms)`, async (model) => {
    model.now += ms
  })
}

function reopening(how: 'close' | 'crash'): ModelStep {
  return step(`reopen after a ${how}`, async (model, real) => {
    if (how === 'close') await real.frontier.close()
    else await real.store.crash?.()
    real.frontier = real.store.frontier()
    const { waiting, known } = await real.frontier.open(SPEC, model.now)
    expect({ waiting, known }).toEqual({
      waiting: model.requests.filter(({ state }) => state === 'waiting').length,
      known: model.requests.length,
    })
    real.visits.clear()
    model.run++
    for (const host of model.hosts.values()) if (host.held) model.free(host)
  })
}

/** Checks that `requests` are as many of the due ones as were asked for, best first, and marks them handed out. */
function take(
  model: FrontierModel,
  real: Real,
  { hostKey, n, requests }: { hostKey: string; n: number; requests: readonly Leased[] },
): void {
  const due = model.due(hostKey).sort((a, b) => b.priority - a.priority || (a.dueAt ?? -1) - (b.dueAt ?? -1))
  expect(requests.map(({ priority, earlier }) => [priority, earlier?.dueAt])).toEqual(
    due.slice(0, n).map(({ priority, dueAt }) => [priority, dueAt]),
  )
  requests.forEach((request, index) => {
    const next = requests[index + 1]
    const isFirst = next?.earlier === undefined && request.earlier === undefined
    if (isFirst && next?.priority === request.priority) expect(next.id).toBeGreaterThan(request.id)
    const known = due.find(({ fingerprint }) => fingerprint === request.fingerprint)
    expect(known).toMatchObject({ out: false, attempts: request.attempts })
    if (known !== undefined) known.out = true
  })
  real.out.set(hostKey, [...(real.out.get(hostKey) ?? []), ...requests])
}
