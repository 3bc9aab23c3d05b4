// How long a sink that fails rests.
import { SinkDown } from '@avocet/core/sink'
import { expect, it } from 'vitest'
import { Backoff } from '../src/sink-rest.ts'

it('rests for 1 s doubling to 60 s, and for 1 s again once it worked', () => {
  const backoff = new Backoff(() => 1)
  const rests = Array.from({ length: 8 }, () => backoff.failed(new Error('no'), 0))
  backoff.worked(0)

  expect([...rests, backoff.failed(new Error('no'), 0)]).toEqual(
    [1, 2, 4, 8, 16, 32, 60, 60, 1].map((seconds) => seconds * 1_000),
  )
})

it('leaves a quarter of the rest to chance, another one each time', () => {
  const salts: string[] = []
  const backoff = new Backoff((salt) => (salts.push(salt), 0))

  expect([backoff.failed(new Error('no'), 0), backoff.failed(new Error('no'), 0)]).toEqual([750, 1_500])
  expect(new Set(salts).size).toBe(2)
})

it.each([
  [30_000, 30_000],
  [86_400_000, 3_600_000],
  [-5, 1_000],
  [NaN, 1_000],
  [Infinity, 3_600_000],
  ['Wed, 21 Oct 2026 07:28:00 GMT' as unknown as number, 1_000],
])('rests until %s where the sink asks for it, for an hour at most', (retryAt, ms) => {
  expect(new Backoff(() => 1).failed(new SinkDown('restarting', { retryAt }), 0)).toBe(ms)
})
