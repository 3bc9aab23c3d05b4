// How names are resolved and remembered, and which of their addresses may be connected to.
import type { Clock } from '@avocet/core/store'
import net, { type LookupFunction } from 'node:net'
import { describe, expect, it } from 'vitest'
import { connectGuarded, guardedLookup, type RawConnector } from '../src/connector.ts'
import type { Resolution, Resolve } from '../src/lookup.ts'
import { cachedResolve } from '../src/names/name-resolver.ts'
import { tcp } from './web.ts'

function resolver(answer: (asked: number) => Resolution): {
  resolve: Resolve
  asked: () => number
  clock: Clock
  moveTo: (ms: number) => void
} {
  let [asked, now] = [0, 0]
  // Nobody here waits for long.
  const at = (): Disposable => ({ [Symbol.dispose]() {} })
  const clock: Clock = { now: () => now, monotonic: () => now, at, hold: () => never() }
  const resolve = cachedResolve(clock, (_name, tell) => {
    asked += 1
    const nth = asked
    queueMicrotask(() => tell(answer(nth)))
  })
  return { resolve, asked: () => asked, clock, moveTo: (ms) => (now = ms) }
}

function never(): never {
  throw new Error('not for this test')
}

const at = (...addresses: string[]): Resolution => ({
  addresses: addresses.map((address) => ({ address, family: net.isIP(address) })),
})
const ask = (resolve: Resolve, name: string): Promise<Resolution> => new Promise((answer) => resolve(name, answer))
const lookup = (guarded: LookupFunction, all: boolean): Promise<unknown> =>
  new Promise((answer) => guarded('shop.test', { all }, (error, address) => answer(error ?? address)))

describe('name cache', () => {
  it('asks once for many, and again after a minute', async () => {
    const { resolve, asked, moveTo } = resolver((nth) => at(`192.0.2.${nth}`))
    const first = await Promise.all([ask(resolve, 'a'), ask(resolve, 'a')])
    moveTo(59_999)
    const later = await ask(resolve, 'a')
    expect([first[0], first[1], later]).toEqual([at('192.0.2.1'), at('192.0.2.1'), at('192.0.2.1')])
    moveTo(60_000)
    expect(await ask(resolve, 'a')).toEqual(at('192.0.2.2'))
    expect(asked()).toBe(2)
  })

  it('remembers a failure for five seconds', async () => {
    const error = new Error('ENOTFOUND')
    const { resolve, asked, moveTo } = resolver((nth) => (nth === 1 ? { error } : at('192.0.2.1')))
    expect(await ask(resolve, 'a')).toEqual({ error })
    moveTo(4_999)
    expect(await ask(resolve, 'a')).toEqual({ error })
    moveTo(5_000)
    expect(await ask(resolve, 'a')).toEqual(at('192.0.2.1'))
    expect(asked()).toBe(2)
  })

  it('[71] keeps eight of five hundred addresses', async () => {
    const { resolve } = resolver(() => at(...Array.from({ length: 500 }, (_, n) => `192.0.2.${n % 250}`)))
    expect(await ask(resolve, 'a')).toEqual(at(...Array.from({ length: 8 }, (_, n) => `192.0.2.${n}`)))
  })

  it('forgets the oldest of 10,001 names', async () => {
    const { resolve, asked } = resolver(() => at('192.0.2.1'))
    for (let n = 0; n <= 10_000; n += 1) await ask(resolve, String(n))
    await ask(resolve, '10000')
    expect(asked()).toBe(10_001)
    await ask(resolve, '0')
    expect(asked()).toBe(10_002)
  })
})

describe('guarded lookup', () => {
  it('gives the public ones of the addresses', async () => {
    const guarded = guardedLookup((_name, tell) => tell(at('127.0.0.1', '8.8.8.8', '::1')), false)
    expect(await lookup(guarded, true)).toEqual([{ address: '8.8.8.8', family: 4 }])
    expect(await lookup(guarded, false)).toBe('8.8.8.8')
  })

  it('[70] judges every answer anew', async () => {
    const answers = [at('8.8.8.8'), at('127.0.0.1')]
    const guarded = guardedLookup((_name, tell) => tell(answers.shift() ?? at()), false)
    expect(await lookup(guarded, true)).toEqual([{ address: '8.8.8.8', family: 4 }])
    expect(await lookup(guarded, true)).toMatchObject({ code: 'AVO_ADDRESS_REFUSED' })
  })

  it('gives all addresses where they are allowed', async () => {
    const guarded = guardedLookup((_name, tell) => tell(at('127.0.0.1')), true)
    expect(await lookup(guarded, true)).toEqual([{ address: '127.0.0.1', family: 4 }])
  })
})

describe('connector', () => {
  it('looks at what it connected to, whatever the resolver said', async () => {
    let bytes = 0
    const site = new URL(await tcp((socket) => socket.on('data', (chunk: Buffer) => (bytes += chunk.length))))
    const lying: RawConnector = (_destination, connected) => {
      const socket = net.connect(Number(site.port), '127.0.0.1')
      return socket.once('connect', () => connected(null, socket)).once('error', (error) => connected(error, null))
    }
    const destination = { hostname: 'shop.test', protocol: 'http:', port: site.port }
    const outcome = await new Promise((resolve) => {
      connectGuarded(lying, { destination, privateAllowed: false }, (error, socket) => {
        socket?.write('GET / HTTP/1.1\r\n\r\n')
        resolve(error)
      })
    })
    expect(outcome).toMatchObject({ code: 'AVO_ADDRESS_REFUSED' })
    expect(bytes).toBe(0)
  })
})
