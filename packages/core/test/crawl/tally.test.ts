// What a run keeps of its problems, and which of them it tells at once: bounded, and never closed to what a person must know.
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import type { CommitResult } from '../../src/ports/frontier.ts'
import type { PendingUnit } from '../../src/run/pending-unit.ts'
import { Tally } from '../../src/run/tally.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

function tallied() {
  const clock = new VirtualClock()
  const told: string[] = []
  const tally = new Tally(clock, ({ message }) => void told.push(message))
  return { clock, told, tally }
}

/** A unit that brings nothing but this. */
const unit = (rest: Partial<PendingUnit>): PendingUnit =>
  ({ host: { key: 'shop.test', core: {} }, links: [], items: [], offered: 0, refused: [], ...rest }) as unknown as PendingUnit
const COMMITTED: CommitResult = { status: 'committed', gained: [], added: 0, known: 0 }

describe('problems of a run', () => {
  it('are reported at once also after fifty others', async () => {
    const { clock, told, tally } = tallied()
    for (let n = 0; n < 50; n++) tally.problem(`host ${n} asks for forty days`)
    await clock.advance(24 * HOUR)

    tally.problem('a plugin is broken')

    expect(told).toHaveLength(51)
    expect(told.at(-1)).toBe('a plugin is broken')
    expect(tally.problems.at(-1)).toEqual({ message: 'other problems, which are not listed', count: 1 })
  })

  it('are reported at most fifty times an hour, with one line that says so, and again in the next hour', async () => {
    const { clock, told, tally } = tallied()
    for (let n = 0; n < 1_000; n++) tally.problem(`host ${n} asks for forty days`)
    const first = told.splice(0)
    await clock.advance(HOUR)
    for (let n = 1_000; n < 2_000; n++) tally.problem(`host ${n} asks for forty days`)

    for (const hour of [first, told]) {
      expect(hour).toHaveLength(51)
      expect(hour.at(-1)).toBe('more than 50 different problems within an hour: the others are only counted, see the report')
    }
    expect(tally.problems.at(-1)).toEqual({ message: 'other problems, which are not listed', count: 1_950 })
  })

  it('that were beyond that limit are reported as soon as it allows it', async () => {
    const { clock, told, tally } = tallied()
    for (let n = 0; n < 50; n++) tally.problem(`problem ${n}`)
    tally.problem('late')
    await clock.advance(59 * MINUTE)
    tally.problem('late')
    const before = told.includes('late')
    await clock.advance(MINUTE)
    tally.problem('late')

    expect(before).toBe(false)
    expect(told.at(-1)).toBe('late')
  })
})

describe('pages that wait for the store', () => {
  const fetched = { at: 0, status: 200, durationMs: 1, wireBytes: 1 }
  const page = unit({ outcome: { kind: 'done', fetched } })

  it('count once it has them', () => {
    const { tally } = tallied()
    expect([tally.handled, tally.counts.pages]).toEqual([0, 0])

    tally.settled(page, COMMITTED)

    expect([tally.handled, tally.counts.pages]).toEqual([1, 1])
  })
})

describe('rejects of the schema', () => {
  const refusing = (reason: string): PendingUnit => unit({ rejects: [{ json: '{}', ordinal: 0, reason, at: 0 }] })

  it('are told in the words of the first of their kind, and once', () => {
    const { told, tally } = tallied()
    for (const price of [12, 7, 90]) tally.settled(refusing(`price: expected a text, got ${price}`), COMMITTED)

    expect(told).toEqual(['the schema refused items: price: expected a text, got 12'])
    expect(tally.counts.rejects).toBe(3)
  })
})

describe('an outage', () => {
  it('of the store or the network is reported and listed whatever else there is', () => {
    const { told, tally } = tallied()
    for (let n = 0; n < 1_000; n++) tally.problem(`host ${n} asks for forty days`)

    tally.outage('the store could not be used for a time')

    expect(told.at(-1)).toBe('the store could not be used for a time')
    expect(tally.problems).toContainEqual({ message: 'the store could not be used for a time', count: 1 })
  })

  it('is reported once, and again when it was quiet for an hour', async () => {
    const { clock, told, tally } = tallied()
    tally.outage('the network is down')
    await clock.advance(30 * MINUTE)
    tally.outage('the network is down')
    await clock.advance(HOUR)
    tally.outage('the network is down')

    expect(told).toEqual(['the network is down', 'the network is down'])
  })
})

describe('totals of a run', () => {
  const STORE = { known: 10, waiting: 2, settled: 8, done: 5, moved: 1, failed: 2, items: 7 }

  it('have requests that are opened again wait', () => {
    const { tally } = tallied()
    tally.resumes(STORE)

    tally.reopened(2)

    expect(tally.totals).toEqual({ ...STORE, waiting: 4, settled: 6, failed: 0 })
  })

  it('have what operators did to given-up pages beside the run', () => {
    const { tally } = tallied()
    tally.resumes(STORE)

    tally.reopened(-1)

    expect(tally.totals).toEqual({ ...STORE, waiting: 1, settled: 9, failed: 3 })
  })
})
