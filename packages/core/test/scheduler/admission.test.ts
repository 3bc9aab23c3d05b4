// What plugins say of a host, joined.
import type { Admission } from '@avocet/core/plugin'
import { describe, expect, it } from 'vitest'
import { createHooks } from '../../src/hooks/hooks.ts'
import { AdmissionCollector } from '../../src/hooks/admission.ts'
import { freshCoreMemory } from '../../src/hosts/core-memory.ts'
import { LiveHost, type Constraint } from '../../src/hosts/live-host.ts'

const NOW = 1_000
const take = (): void => {}

function host(more: Partial<ReturnType<typeof freshCoreMemory>> = {}): LiveHost {
  return new LiveHost(
    { hostKey: 'a', epoch: 1, memory: {}, requests: [], waiting: 0 },
    { order: 0, core: { ...freshCoreMemory(), proven: true, ...more }, options: {}, memory: [], virtualTime: 0, leasedAt: 0 },
  )
}

/** A collector over plugins that answer by their names. */
function asking(plugins: Readonly<Record<string, (ask: Admission) => void>>): AdmissionCollector {
  const hooks = createHooks({ speaks() {}, returned() {}, rescue() {}, promised() {} })
  const collector = new AdmissionCollector(hooks)
  for (const [name, answer] of Object.entries(plugins))
    hooks.admit.tap(name, (ask) => {
      collector.speaker = name
      answer(ask)
    })
  return collector
}

const said = ({ readyAt, atMost, hold }: Constraint): unknown[] => [readyAt, atMost, hold && `${hold.by}: ${hold.why}`]

describe('what holds a host', () => {
  it('is the latest moment and the smallest number, in whatever order plugins speak', () => {
    const early = (ask: Admission): void => {
      ask.notBefore(2_000, 'early')
      ask.atMost(3, 'three')
    }
    const late = (ask: Admission): void => {
      ask.notBefore(5_000, 'late')
      ask.atMost(8, 'eight')
    }

    expect(said(asking({ a: early, b: late }).ask(host(), NOW))).toEqual([5_000, 3, 'b: late'])
    expect(said(asking({ b: late, a: early }).ask(host(), NOW))).toEqual([5_000, 3, 'b: late'])
  })

  it('is named after the first of equals by the alphabet', () => {
    const until = (ask: Admission): void => ask.notBefore(5_000, 'same')
    const none = (ask: Admission): void => ask.atMost(0, 'same')

    for (const names of [
      ['a', 'b'],
      ['b', 'a'],
    ]) {
      const both = (answer: (ask: Admission) => void): AdmissionCollector =>
        asking(Object.fromEntries(names.map((name) => [name, answer])))
      expect(said(both(until).ask(host(), NOW))).toEqual([5_000, Infinity, 'a: same'])
      expect(said(both(none).ask(host(), NOW))).toEqual([0, 0, 'a: same'])
    }
  })

  it('of one host says nothing of the next', () => {
    const once = asking({
      a: (ask) => {
        if (ask.host.lastEndAt === 0) return
        ask.notBefore(9_000, 'rests')
        ask.atMost(2, 'two')
        ask.require('http://a/robots.txt', take)
      },
    })
    expect(said(once.ask(host({ lastEndAt: 1 }), NOW))).toEqual([9_000, 2, 'a: rests'])

    expect(once.ask(host(), NOW)).toMatchObject({ readyAt: 0, atMost: Infinity, required: undefined })
  })

  it.each([
    { what: 'never answered with a success', more: { proven: false }, atMost: 1 },
    { what: 'failed once', more: { consecutiveFailures: 1 }, atMost: Infinity },
    { what: 'failed twice in a row', more: { consecutiveFailures: 2 }, atMost: 1 },
  ])('that $what: at most $atMost at once', ({ more, atMost }) => {
    expect(asking({}).ask(host(more), NOW).atMost).toBe(atMost)
  })

  it('that is given up is one exchange, to see whether it is back', () => {
    const probed = host()
    probed.probing = 'never answered'

    expect(asking({}).ask(probed, NOW).atMost).toBe(1)
  })

  it.each([
    { what: 'in one order', names: ['a', 'b', 'c'] },
    { what: 'in another order', names: ['c', 'b', 'a'] },
  ])('is nothing but the first reason by the alphabet, once a plugin gives it up ($what)', ({ names }) => {
    const answers: Record<string, (ask: Admission) => void> = {
      a: (ask) => ask.notBefore(Infinity, 'waits for what is in flight'),
      b: (ask) => ask.giveUp('gone'),
      c: (ask) => ask.giveUp('closed'),
    }
    const collector = asking(Object.fromEntries(names.map((name) => [name, answers[name] ?? ((): void => {})])))

    expect(said(collector.ask(host(), NOW))).toEqual([Infinity, Infinity, 'b: gone'])
  })

  it('is given up under a probe, too', () => {
    const probed = host()
    probed.probing = 'never answered'
    const collector = asking({ a: (ask) => ask.giveUp('closed for good') })

    expect(said(collector.ask(probed, NOW))).toEqual([Infinity, 1, 'a: closed for good'])
  })

  it('that rests is the end of its rest', () => {
    const resting = host()
    resting.rest = { until: 4_000, why: 'perhaps ours' }

    expect(said(asking({}).ask(resting, NOW))).toEqual([4_000, Infinity, 'core: perhaps ours'])
  })

  it('after a plugin threw is a minute', () => {
    const collector = asking({})
    collector.ask(host(), NOW)
    collector.threw('a', 'admit', 'no idea')

    const throwing = asking({ a: () => throwing.threw('a', 'admit', 'no idea') })
    expect(throwing.ask(host(), NOW)).toMatchObject({ readyAt: NOW + 60_000 })
  })

  it('is said of a host that has as many in flight as it may', () => {
    const full = asking({ a: (ask) => ask.atMost(0, 'closed') })

    expect(full.ask(host(), NOW).hold).toEqual({ by: 'a', why: 'closed', until: Infinity })
  })

  it('of two required documents is the first by its URL', () => {
    const both = asking({ a: (ask) => ask.require('http://a/b.txt', take), b: (ask) => ask.require('http://a/a.txt', take) })

    expect(both.ask(host(), NOW).required).toEqual({ url: 'http://a/a.txt', takers: new Map([['b', take]]) })
  })

  it('serves two plugins that require the same document with one fetch', () => {
    const both = asking({ b: (ask) => ask.require('http://a/a.txt', take), a: (ask) => ask.require('http://a/a.txt', take) })

    expect(both.ask(host(), NOW).required).toEqual({
      url: 'http://a/a.txt',
      takers: new Map([
        ['b', take],
        ['a', take],
      ]),
    })
  })
})
