// Whose turn it is among hosts that wait for one pace.
import { expect, it } from 'vitest'
import { Turns } from '../src/turns.ts'

const RPS = 10

/** A hundred hosts that each had their turn, one every 100 ms until 10 s. */
function round(): Turns {
  const turns = new Turns()
  for (let n = 0; n < 100; n++) turns.took(`h${n}`, { now: n * 100, rps: RPS, dueAt: n * 100 })
  return turns
}

it('a host that had its turn waits for that of others, and asks again after eight of them', () => {
  expect(round().at('h99', { now: 9_950, rps: RPS, dueAt: 10_000 })).toBe(10_800)
})

it('a host waits for nobody where nobody took the last turn', () => {
  expect(round().at('h99', { now: 10_150, rps: RPS, dueAt: 10_000 })).toBe(0)
})

it('the host that had its turn longest ago is the first to go', () => {
  const turns = round()
  const at = (host: string): number => turns.at(host, { now: 9_950, rps: RPS, dueAt: 10_000 })

  expect([at('h0'), at('h1'), at('new')]).toEqual([9_000, 9_100, 0])
})
