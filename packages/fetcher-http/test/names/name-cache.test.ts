// How long answers and failures are remembered, and what serves while the name server fails.
import type { Clock } from '@avocet/core/store'
import net from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Resolution } from '../../src/lookup.ts'
import { cachedResolve } from '../../src/names/name-resolver.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** A cache on a clock that the test moves, over a name server that the test speaks for. */
function cache(): {
  readonly questions: () => number
  readonly resolve: ReturnType<typeof cachedResolve>
  ask: (name?: string) => Promise<Resolution>
  tell: (resolution: Resolution) => Promise<void>
  moveTo: (ms: number) => Promise<void>
} {
  let [now, questions] = [0, 0]
  let wakes: { at: number; wake: () => void }[] = []
  let pending: ((resolution: Resolution) => void)[] = []
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    at(at, wake) {
      const entry = { at, wake }
      wakes.push(entry)
      return { [Symbol.dispose]: () => void (wakes = wakes.filter((other) => other !== entry)) }
    },
    hold: () => ({ [Symbol.dispose]() {} }),
  }
  const resolve = cachedResolve(clock, (_name, answer) => {
    questions += 1
    pending.push(answer)
  })
  return {
    questions: () => questions,
    resolve,
    ask: (name = 'shop.test') => new Promise((answer) => resolve(name, answer)),
    async tell(resolution) {
      const waiting = pending
      pending = []
      for (const answer of waiting) answer(resolution)
      await Promise.resolve()
    },
    async moveTo(ms) {
      now = ms
      const due = wakes.filter(({ at }) => at <= now)
      wakes = wakes.filter(({ at }) => at > now)
      for (const { wake } of due) wake()
      await Promise.resolve()
    },
  }
}

/** The same with an answer that has just outlived its time. */
async function outdated(): Promise<ReturnType<typeof cache>> {
  const made = cache()
  const first = made.ask()
  await made.tell(at('192.0.2.1', MINUTE))
  await first
  await made.moveTo(MINUTE)
  return made
}

const at = (address: string, ttlMs?: number): Resolution => ({
  addresses: [{ address, family: net.isIP(address) }],
  ...(ttlMs !== undefined && { ttlMs }),
})
const failing = (code: string): Resolution => ({ error: Object.assign(new Error(code), { code }) })
const addressOf = async (resolution: Promise<Resolution>): Promise<string | undefined> => {
  const known = await resolution
  return known.error === undefined ? known.addresses[0]?.address : known.error.message
}

describe('an answer', () => {
  it.each([
    ['its time to live', 5 * MINUTE, 5 * MINUTE],
    ['10 s at least', 0, 10_000],
    ['an hour at most', 24 * HOUR, HOUR],
    ['a minute when it does not say', undefined, MINUTE],
  ])('is used for %s', async (_name, ttlMs, usedMs) => {
    const { ask, tell, moveTo, questions } = cache()
    const first = ask()
    await tell(at('192.0.2.1', ttlMs))
    expect(await addressOf(first)).toBe('192.0.2.1')

    await moveTo(usedMs - 1)
    expect(await addressOf(ask())).toBe('192.0.2.1')
    expect(questions()).toBe(1)

    await moveTo(usedMs)
    const second = ask()
    await tell(at('192.0.2.2'))
    expect(await addressOf(second)).toBe('192.0.2.2')
  })

  it('is used for an hour more while the name server fails, and requested again every 30 s', async () => {
    const { ask, tell, moveTo, questions } = await outdated()
    const second = ask()
    await tell(failing('ESERVFAIL'))
    expect(await addressOf(second)).toBe('192.0.2.1')
    await moveTo(MINUTE + 29_999)
    expect(await addressOf(ask())).toBe('192.0.2.1')
    expect(questions()).toBe(2)
    await moveTo(MINUTE + 30_000)
    void ask()
    expect(questions()).toBe(3)
    await tell(failing('ESERVFAIL'))

    await moveTo(MINUTE + HOUR)
    const last = ask()
    await tell(failing('ESERVFAIL'))
    expect(await addressOf(last)).toBe('ESERVFAIL')
  })

  it('serves after a second when the name server is slow to give a new one, which counts once it is there', async () => {
    const { ask, tell, moveTo } = await outdated()
    const second = ask()
    await moveTo(MINUTE + 1_000)
    expect(await addressOf(second)).toBe('192.0.2.1')
    expect(await addressOf(ask())).toBe('192.0.2.1')

    await tell(at('192.0.2.2', MINUTE))
    expect(await addressOf(ask())).toBe('192.0.2.2')
  })

  it('is forgotten when the name is said not to exist', async () => {
    const { ask, tell } = await outdated()
    const second = ask()
    await tell(failing('ENOTFOUND'))
    expect(await addressOf(second)).toBe('ENOTFOUND')
  })
})

describe('the cache', () => {
  it('asks once for a name, however many wait for it', async () => {
    const { ask, tell, questions } = cache()
    const [first, second] = [ask(), ask()]
    await tell(at('192.0.2.1'))

    expect([await addressOf(first), await addressOf(second)]).toEqual(['192.0.2.1', '192.0.2.1'])
    expect(questions()).toBe(1)
  })

  it('has those who come within a second of the question wait for the new answer', async () => {
    const { ask, tell } = await outdated()
    const [first, second] = [ask(), ask()]
    await tell(at('192.0.2.2'))

    expect([await addressOf(first), await addressOf(second)]).toEqual(['192.0.2.2', '192.0.2.2'])
  })

  it('keeps eight addresses of a name', async () => {
    const { ask, tell } = cache()
    const first = ask()
    await tell({ addresses: Array.from({ length: 500 }, (_, n) => ({ address: `192.0.2.${n % 256}`, family: 4 })) })

    expect(await first).toMatchObject({ addresses: { length: 8 } })
  })

  it('keeps ten thousand names, and forgets the oldest', async () => {
    const { ask, tell, questions } = cache()
    const all = Array.from({ length: 10_001 }, (_, n) => ask(`shop${n}.test`))
    await tell(at('192.0.2.1'))
    await Promise.all(all)

    await ask('shop1.test')
    expect(questions()).toBe(10_001)
    void ask('shop0.test')
    expect(questions()).toBe(10_002)
  })
})

describe('whoever asks', () => {
  it('is answered once, also where the name server answers within the second', async () => {
    const { resolve, tell, moveTo } = await outdated()
    const heard: Resolution[] = []
    resolve('shop.test', (resolution) => heard.push(resolution))
    await tell(at('192.0.2.2', MINUTE))
    await moveTo(MINUTE + 2_000)

    expect(heard).toHaveLength(1)
  })

  it('is answered once, whatever a name server says twice', async () => {
    const heard: Resolution[] = []
    const clock = {
      now: () => 0,
      monotonic: () => 0,
      at: () => ({ [Symbol.dispose]() {} }),
      hold: () => ({ [Symbol.dispose]() {} }),
    }
    cachedResolve(clock, (_name, answer) => {
      answer(at('192.0.2.1'))
      answer(at('192.0.2.2'))
    })('shop.test', (resolution) => heard.push(resolution))

    expect(heard).toMatchObject([at('192.0.2.1')])
  })
})

describe('the oldest name', () => {
  it('is the one that was answered longest ago', async () => {
    const { ask, tell, moveTo, questions } = cache()
    const all = Array.from({ length: 10_000 }, (_, n) => ask(`shop${n}.test`))
    await tell(at('192.0.2.1', HOUR))
    await Promise.all(all)
    await moveTo(HOUR)
    const again = ask('shop0.test')
    await tell(at('192.0.2.1', HOUR))
    await again

    const one = ask('another.test')
    await tell(at('192.0.2.1', HOUR))
    await one

    expect(questions()).toBe(10_002)
    await ask('shop0.test')
    expect(questions()).toBe(10_002)
  })
})

describe('a failure', () => {
  it.each([
    ['ENOTFOUND', 20_000],
    ['ENODATA', 20_000],
    ['ESERVFAIL', 5_000],
    ['ETIMEOUT', 5_000],
    ['EAI_AGAIN', 5_000],
  ])('%s is remembered for %i ms', async (code, rememberedMs) => {
    const { ask, tell, moveTo, questions } = cache()
    const first = ask()
    await tell(failing(code))
    await first

    await moveTo(rememberedMs - 1)
    expect(await addressOf(ask())).toBe(code)
    expect(questions()).toBe(1)
    await moveTo(rememberedMs)
    const second = ask()
    await tell(at('192.0.2.1'))
    expect(await addressOf(second)).toBe('192.0.2.1')
  })
})
