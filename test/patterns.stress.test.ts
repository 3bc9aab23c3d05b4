// The order in which the patterns of the texts and Avocet stand, on a tenth of the web of the contest. The whole table: npm run bench:patterns.
import { siteModel } from '@avocet/simulator'
import { beforeAll, describe, expect, it } from 'vitest'
import { contest, type Figures } from '../bench/patterns/contest.ts'
import { CONTESTANTS } from '../bench/patterns/contestants.ts'
import { contestWorld } from '../bench/patterns/world.ts'

// Without the site that bans: whoever is banned has lost a page, and whether one is depends on the law of the day.
const model = siteModel({ seed: 'patterns-test', hosts: contestWorld('patterns-test', 80).hosts.filter(({ ban }) => !ban) })
const run = (name: string): Promise<Figures> => {
  const contestant = CONTESTANTS.find((one) => one.name === name)
  if (contestant === undefined) throw new RangeError(`there is no contestant ${name}`)
  return contest(contestant, model)
}
const PATTERNS = CONTESTANTS.map(({ name }) => name).filter((name) => !name.startsWith('Avocet'))
/** It gives up what takes longer than three times the mean. */
const IMPATIENT = 'domain queues'
/** The others ask hardly any of these few hosts more than it takes: by rotation, or by an interval that begins at a second. They pay in time or pages. */
const CARELESS = PATTERNS.filter((name) => /P[1235]/.test(name))

describe('the patterns of the texts beside Avocet, a tenth of the sites', () => {
  let avocet: Figures
  const figures = new Map<string, Figures>()
  const of = (name: string): Figures => figures.get(name) ?? avocet

  beforeAll(async () => {
    avocet = await run('Avocet')
    for (const name of PATTERNS) figures.set(name, await run(name))
  })

  it('Avocet gets every page of every live site, and no slot of it ever sleeps', () => {
    expect(avocet.share).toBe(1)
    expect(avocet.parkedSlotSeconds).toBe(0)
    expect(avocet.refusedRatio).toBeLessThan(0.015)
  })

  it.each(PATTERNS)('%s has not all pages when Avocet has', (name) => {
    const { makespanSeconds } = of(name)
    expect(makespanSeconds ?? Infinity).toBeGreaterThan(avocet.makespanSeconds ?? Infinity)
  })

  it.each(CARELESS)('%s is refused five times as often as Avocet', (name) => {
    expect(of(name).refusedRatio).toBeGreaterThan(5 * avocet.refusedRatio)
  })

  it('nobody who gets everything is faster than a client that knows everything', () => {
    for (const { makespanSeconds, boundSeconds } of [avocet, ...figures.values()])
      expect(makespanSeconds ?? Infinity).toBeGreaterThanOrEqual(boundSeconds)
  })

  it('pattern 4 loses sites that are slow but well', () => {
    expect(of(IMPATIENT).lostPages).toBeGreaterThan(50)
  })

  it('workers that wait sleep more than they work', () => {
    const { parkedSlotSeconds, requests, meanRequestSeconds } = of('bucket, breaker')

    expect(parkedSlotSeconds).toBeGreaterThan(requests * meanRequestSeconds)
  })

  it('Avocet asks dead sites less often than who does not know that they are dead', () => {
    expect(avocet.deadRequests).toBeLessThan(of('bucket, breaker').deadRequests)
  })

  it.each(['bucket, breaker', 'Avocet'])('%s does the same each time', async (name) => {
    const { wallSeconds: _first, ...first } = of(name)
    const { wallSeconds: _second, ...second } = await run(name)

    expect(second).toEqual(first)
  })
})
