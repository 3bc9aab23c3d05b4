// Where hosts stand that come back.
import { describe, expect, it } from 'vitest'
import { Standings } from '../../src/scheduler/restored.ts'

describe('a host that is leased again', () => {
  it('goes on from where it stood, ahead or behind', () => {
    const standings = new Standings()
    standings.leave('ahead', 70_000)
    standings.leave('behind', 45_000)

    expect([standings.enter('ahead', 50_000), standings.enter('behind', 50_000)]).toEqual([70_000, 45_000])
  })

  it('is behind by ten seconds at most', () => {
    const standings = new Standings()
    standings.leave('long ago', 1_000)

    expect(standings.enter('long ago', 50_000)).toBe(40_000)
  })

  it('and was never met, or is remembered no more, begins at the present', () => {
    const standings = new Standings()
    expect(standings.enter('new', 50_000)).toBe(50_000)

    for (let n = 0; n <= 10_000; n++) standings.leave(String(n), 90_000)
    expect([0, 5_000, 5_001, 10_000].map((n) => standings.enter(String(n), 50_000))).toEqual([50_000, 50_000, 90_000, 90_000])
  })
})
