// The engine's loop: slots are filled in one go, a full crawl looks for hosts whose time has come, a closed one begins nothing, and one timer serves all waits.
import { crawl, memoryFrontier, spider, type Response } from 'avocet'
import type { Fetcher, Frontier } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { Alarm } from '../../src/scheduler/scheduler.ts'

const HOSTS = Array.from({ length: 20 }, (_, n) => `http://h${n}.test/`)
const pages = spider({ name: 'pages', seeds: HOSTS, handlers: { start: () => [] } })
const timings = { firstByteMs: 1, bodyMs: 1, reusedSocket: false }

function answerOf(url: string): Response {
  return { url, status: 200, headers: {}, body: new Uint8Array(), wireBytes: 0, timings }
}

/** Answers after `delayMs`; at once, in the call itself, where there is none. */
function fetcherOf(
  clock: VirtualClock,
  delayMs?: number,
): Fetcher & { readonly deepest: () => number; readonly most: () => number; readonly asked: string[] } {
  let [depth, deepest, inFlight, most] = [0, 0, 0, 0]
  const asked: string[] = []
  return {
    asked,
    deepest: () => deepest,
    most: () => most,
    close: async () => {},
    fetch({ url }, receiver) {
      deepest = Math.max(deepest, ++depth)
      asked.push(url)
      receiver.sent()
      most = Math.max(most, ++inFlight)
      const done = (): void => {
        inFlight--
        receiver.done(answerOf(url))
      }
      const timer = delayMs === undefined ? undefined : clock.at(clock.now() + delayMs, done)
      if (timer === undefined) done()
      depth--
      return () => timer?.[Symbol.dispose]()
    },
  }
}

/** Notes how each lease was asked for. */
function watched(frontier: Frontier, idle: boolean[]): Frontier {
  return { ...frontier, lease: (wanted) => (idle.push(wanted.idle === true), frontier.lease(wanted)) }
}

describe('the engine', () => {
  it('fills the slots in one go, also when an exchange is over before it has been sent', async () => {
    const clock = new VirtualClock()
    const fetcher = fetcherOf(clock)

    const report = await clock.run(() => crawl({ policies: [], spider: pages, clock, fetcher, concurrency: 2 }).run())

    expect(report.run.pages).toBe(20)
    expect(fetcher.deepest()).toBe(1)
  })

  it('looks whose time has come while all slots are busy', async () => {
    const clock = new VirtualClock()
    const idle: boolean[] = []
    const frontier = watched(memoryFrontier(), idle)

    const fetcher = fetcherOf(clock, 1_000)

    await clock.run(() => crawl({ policies: [], spider: pages, clock, fetcher, frontier, concurrency: 1 }).run())

    expect(fetcher.most()).toBe(1)
    expect(idle).toContain(true)
    expect(idle).toContain(false)
  })

  it('waits for pages that are being handled', async () => {
    const clock = new VirtualClock()
    const slow = spider({
      name: 'slow',
      seeds: ['http://h0.test/'],
      handlers: {
        async *start() {
          for (let turns = 0; turns < 20; turns++) await new Promise((next) => setImmediate(next))
          yield { late: true }
        },
      },
    })

    const report = await clock.run(() => crawl({ policies: [], spider: slow, clock, fetcher: fetcherOf(clock) }).run())

    expect(report.run.items).toBe(1)
  })

  it('begins nothing, and does not wake, while it is paused', async () => {
    const clock = new VirtualClock()
    const fetcher = fetcherOf(clock)
    const woken: number[] = []
    const at = (moment: number, wake: () => void) => clock.at(moment, () => (woken.push(clock.now()), wake()))
    const noting = { ...clockParts(clock), at }
    const made = crawl({ policies: [], spider: pages, clock: noting, fetcher })
    made.pause('by hand')
    const until = clock.now() + 3_600_000
    let askedBefore = -1
    clock.at(until, () => {
      askedBefore = fetcher.asked.length
      made.resume()
    })

    await clock.run(() => made.run())

    expect(askedBefore).toBe(0)
    expect(woken.filter((moment) => moment < until)).toEqual([])
    expect(fetcher.asked).toHaveLength(20)
  })
})

function clockParts(clock: VirtualClock): Pick<VirtualClock, 'now' | 'hold' | 'monotonic'> {
  return { now: () => clock.now(), hold: (name) => clock.hold(name), monotonic: () => clock.monotonic() }
}

describe('the timer', () => {
  it('rings at the first moment at which anything may happen, and is one', () => {
    const clock = new VirtualClock()
    const [armed, disarmed]: number[][] = [[], []]
    const noting = {
      ...clockParts(clock),
      at: (at: number) => (armed?.push(at), { [Symbol.dispose]: () => void disarmed?.push(at) }),
    }
    const alarm = new Alarm(noting, () => {})
    for (const at of [5_000, 3_000, 5_000, 5_000, Infinity]) alarm.set(at)

    expect(armed).toEqual([5_000, 3_000, 5_000])
    expect(disarmed).toEqual([5_000, 3_000, 5_000])
  })

  it('may be set to the same moment once more when it has rung', () => {
    const armed: (() => void)[] = []
    const clock = {
      ...clockParts(new VirtualClock()),
      at: (_at: number, wake: () => void) => (armed.push(wake), { [Symbol.dispose]() {} }),
    }
    let rung = 0
    const alarm = new Alarm(clock, () => void rung++)
    alarm.set(5_000)
    armed[0]?.()
    alarm.set(5_000)

    expect([rung, armed.length]).toEqual([1, 2])
  })
})
