// What a host that bans is remembered for: a ceiling of its rate, which a ban lowers, time raises, and a page that is merely private takes back.
import { describe, expect, it } from 'vitest'
import { ceilingRps, freshRateMemory, type RateMemory } from '../src/host-memory.ts'
import { noteAnswer } from '../src/refusal.ts'
import { rateSettings } from '../src/settings.ts'

const DAY_MS = 86_400_000
const SETTINGS = rateSettings({})

describe('the ceiling', () => {
  /** Pages, one after the other: `k` forbidden, `o` served; the same in capitals: they were requested before. */
  const heard = (memory: RateMemory, story: string, now = 0): RateMemory => {
    let inRow = 0
    let seq = Math.max(100, memory.pace.changedAtSeq)
    for (const page of story) {
      const forbidden = page.toLowerCase() === 'k'
      inRow = forbidden ? inRow + 1 : 0
      const blocking = { inRow, isSuspected: inRow > 1, isCertain: inRow > 9 }
      seq++
      const host = { seq, inFlight: 0, options: {}, blocking }
      const request = { attempts: page === page.toLowerCase() ? 0 : 1 }
      const exchange = { host, seq, request, random: () => 0 }
      noteAnswer({ exchange, response: { status: forbidden ? 403 : 200 }, forbidden, now } as never, memory, SETTINGS)
    }
    return memory
  }
  /** Of a host that is asked ten times a second. */
  const quick = (): RateMemory => ({
    ...freshRateMemory(),
    law: 'harm-budget',
    rate: SETTINGS.law.fresh({ startRps: 10, minRps: 0.02, maxRps: 10 }),
  })

  it('is half the rate of the ban, once a ban, and again at the next', () => {
    const memory = heard(quick(), 'okkkkkk')
    expect(ceilingRps(memory, 0)).toBe(5)

    heard(memory, 'OOkkk')
    expect(ceilingRps(memory, 0)).toBe(2.5)
    expect(memory.ban).toMatchObject({ times: 2, isOpen: true })
  })

  it('doubles in a day after the first ban, in three after the second; then it and the bans are forgotten', () => {
    const memory = heard(quick(), 'okkO')
    expect(ceilingRps(memory, DAY_MS)).toBe(10)

    heard(memory, 'kkO')
    expect(ceilingRps(memory, 3 * DAY_MS)).toBe(5)
    heard(memory, 'o', 3 * DAY_MS)
    expect(memory.ban).toBeDefined()
    heard(memory, 'o', 30 * DAY_MS)
    expect(memory.ban).toBeUndefined()
  })

  it('is taken back where the page turns out to be private', () => {
    expect(heard(quick(), 'okkooK').ban).toBeUndefined()
    expect(heard(quick(), 'okkO kkooK'.replace(' ', '')).ban).toMatchObject({ rps: 5, times: 1 })
  })

  it('stays above a quarter of the rate at which a stranger is asked', () => {
    const memory = quick()
    for (let n = 0; n < 20; n++) heard(memory, 'kkO')

    expect(ceilingRps(memory, 0)).toBe(0.25)
  })

  it('does not fall in time that runs backwards', () => {
    expect(ceilingRps(heard(quick(), 'kk', DAY_MS), 0)).toBe(5)
  })
})
