// The plugin's hooks one by one, on one host: what is remembered, what is given back, and what another law makes of it.
import type { Plugin } from '@avocet/core'
import type { Answered, Exchange, HostView } from '@avocet/core/plugin'
import { aimd, fixedRate, textbook } from '@avocet/plugin-aimd'
import { describe, expect, it } from 'vitest'

const T = 1_767_225_600_000

/** One host at which a plugin can be tried hook by hook. */
class Bench {
  readonly memory: unknown
  readonly #plugin: Plugin
  readonly #host = {
    key: 'shop.test',
    inFlight: 0,
    seq: 0,
    lastStartAt: 0,
    lastEndAt: 0,
    proven: true,
    options: {},
    blocking: { isCertain: false },
  }

  constructor(plugin: Plugin, memory: unknown = plugin.hostMemory?.(), booked: number = 0) {
    this.#plugin = plugin
    this.memory = memory
    this.#host.seq = booked
  }

  book(now: number, required = false): Exchange {
    const host = this.#host
    host.seq++
    host.inFlight++
    host.lastStartAt = now
    const exchange = {
      host,
      request: { attempts: 0 },
      seq: host.seq,
      admittedAt: now,
      sentAt: now,
      required,
      random: () => 0,
    } as unknown as Exchange
    this.#plugin.onAdmit?.(exchange, this.memory, undefined)
    return exchange
  }

  /** Core is certain of a ban from now on, or no more. */
  bans(isCertain: boolean): void {
    this.#host.blocking = { isCertain }
  }

  unsent(exchange: Exchange): void {
    const { host, seq, admittedAt, required } = exchange
    this.takenBack({ host, seq, admittedAt, required } as Partial<Exchange> as Exchange)
  }

  /** Written, and taken back all the same. */
  takenBack(exchange: Exchange): void {
    this.#host.inFlight--
    this.#plugin.onUnsent?.(exchange, this.memory, undefined)
  }

  answer(exchange: Exchange, status: number, now: number): void {
    this.#host.inFlight--
    this.#host.lastEndAt = now
    const response = { status, headers: {}, body: new Uint8Array(), timings: { firstByteMs: 10, bodyMs: 0, reusedSocket: true } }
    const answered = { exchange, response, now, wanted: false, forbidden: status === 403 } as Partial<Answered> as Answered
    this.#plugin.onResponse?.(answered, this.memory, undefined)
  }

  /** Earliest moment and greatest number, as `admit` says at `now`. */
  asked(now: number): { readonly readyAt: number; readonly atMost: number } {
    let readyAt = 0
    let atMost = Infinity
    this.#plugin.admit?.(
      {
        host: this.#host as Partial<HostView> as HostView,
        now,
        delayFrom: 0,
        nextUrl: undefined,
        nextSession: undefined,
        probing: false,
        notBefore: (at) => (readyAt = Math.max(readyAt, at)),
        giveUp: () => (readyAt = Infinity),
        atMost: (n) => (atMost = Math.min(atMost, n)),
        paces: () => {},
        require: () => {},
      },
      this.memory,
      undefined,
    )
    return { readyAt, atMost }
  }

  known(now: number): Readonly<Record<string, unknown>> {
    return this.#plugin.explain?.({ host: this.#host as Partial<HostView> as HostView, now }, this.memory, undefined) ?? {}
  }
}

describe('a booking that is given back', () => {
  it('frees its moment when it was the last, also several in a row', () => {
    const bench = new Bench(aimd({ law: fixedRate({ rps: 10 }) }))
    const [, second, third] = [T, T + 100, T + 200].map((now) => bench.book(now))
    if (second === undefined || third === undefined) throw new Error('three were booked')

    bench.unsent(third)
    expect(bench.asked(T + 200).readyAt).toBe(T + 200)
    bench.unsent(second)
    expect(bench.asked(T + 200).readyAt).toBe(T + 100)
  })

  it('frees nothing when another was booked since: two would go at once', () => {
    const bench = new Bench(aimd({ law: fixedRate({ rps: 10 }) }))
    const [first] = [T, T + 100].map((now) => bench.book(now))
    if (first === undefined) throw new Error('two were booked')

    bench.unsent(first)
    expect(bench.asked(T + 150).readyAt).toBe(T + 200)
  })

  it('frees nothing when the host was asked all the same', () => {
    const bench = new Bench(aimd({ law: fixedRate({ rps: 0.1 }) }))

    bench.takenBack(bench.book(T))

    expect(bench.asked(T + 2_000).readyAt).toBe(T + 10_000)
  })

  it('frees nothing after a refusal: the pace was begun anew', () => {
    const bench = new Bench(aimd({ law: fixedRate({ rps: 10 }) }))
    const [first, second] = [T, T + 100].map((now) => bench.book(now))
    if (first === undefined || second === undefined) throw new Error('two were booked')

    bench.answer(first, 429, T + 150)
    bench.unsent(second)
    expect(bench.asked(T + 150).readyAt).toBe(T + 250)
  })
})

describe('another law', () => {
  const found = (plugin: Plugin): Bench => {
    const bench = new Bench(plugin)
    for (let n = 0; n < 18; n++) bench.answer(bench.book(T + n * 100), 200, T + n * 100 + 10)
    return bench
  }

  it('begins at the rate that the one before had found, within what is allowed now', () => {
    const { memory } = found(aimd({ law: fixedRate({ rps: 10 }), maxRps: 100 }))

    expect(new Bench(aimd({ law: textbook() }), memory).known(T)).toMatchObject({ law: 'aimd', foundRps: 10 })
    expect(new Bench(aimd({ law: textbook(), maxRps: 3 }), memory).known(T)).toMatchObject({ foundRps: 3 })
  })

  it('the same law with other bounds keeps to them at once', () => {
    const { memory } = found(aimd({ law: textbook(), startRps: 10, maxRps: 100 }))
    const bench = new Bench(aimd({ law: textbook(), maxRps: 2 }), memory, 20)
    bench.book(T + 60_000)

    expect(bench.asked(T + 60_000).readyAt).toBe(T + 60_500)
  })

  it('a fixed rate is what the configuration says today', () => {
    const { memory } = found(aimd({ law: fixedRate({ rps: 1 }) }))

    expect(new Bench(aimd({ law: fixedRate({ rps: 3 }) }), memory).known(T)).toMatchObject({ foundRps: 3 })
  })
})

describe('the rate', () => {
  const foundRps = (gapMs: number): unknown => {
    const bench = new Bench(aimd({ law: textbook(), maxRps: 100 }))
    for (let n = 0; n < 20; n++) bench.answer(bench.book(T + n * gapMs), 200, T + n * gapMs + 10)
    return bench.known(T)['foundRps']
  }

  it('rises by answers that put it to the test, and not while something else holds the host back', () => {
    expect(foundRps(1_000)).toBe(1.344)
    expect(foundRps(10_000)).toBe(1.02)
  })

  it('rises again after a pause, however long that was', () => {
    const bench = new Bench(aimd({ law: textbook() }))
    bench.answer(bench.book(T), 429, T + 10)
    bench.answer(bench.book(T + 90_000), 200, T + 90_010)

    expect(bench.known(T + 90_010)).toMatchObject({ foundRps: 0.8735 })
  })
})

describe('a wall', () => {
  const afterForbidden = (required: boolean): Bench => {
    const bench = new Bench(aimd({ law: fixedRate({ rps: 10 }) }))
    bench.answer(bench.book(T), 200, T + 10)
    bench.bans(true)
    bench.answer(bench.book(T + 10_000, required), 403, T + 10_010)
    bench.bans(false)
    return bench
  }

  it('lets one at a time through until a page is served', () => {
    const bench = afterForbidden(false)
    // Ten minutes, and at most a tenth more.
    const later = T + 10_010 + 660_000

    const { readyAt, atMost } = bench.asked(later)
    expect(atMost).toBe(1)
    expect(readyAt).toBeLessThanOrEqual(later)
    bench.answer(bench.book(later), 200, later + 10)
    expect(bench.asked(later + 10).atMost).toBe(8)
  })

  it('is not made of documents that a plugin required, such as robots.txt', () => {
    expect(afterForbidden(true).asked(T + 20_000).atMost).toBe(8)
  })
})

describe('memory', () => {
  it('is small, also when much was learned', () => {
    const bench = new Bench(aimd())
    for (let n = 0; n < 400; n++)
      bench.answer(bench.book(T + n * 333.333), n % 40 === 39 ? 429 : n % 9 === 8 ? 403 : 200, T + n * 333.333 + 17.3)

    expect(JSON.stringify(bench.memory).length).toBeLessThan(700)
  })
})
