// The bench of the watch in small: a day of a few shops, over kills of the process that crawls them, before the judge; and then a record that was tampered with.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { publishedBy, type Published } from '../../bench/watch/changes-watched.ts'
import { deliveredBy } from '../../bench/watch/delivered-log.ts'
import { liveAll } from '../../bench/watch/lives.ts'
import { countFaults, verdictsOn } from '../../bench/watch/verdicts.ts'
import { readVisits } from '../../bench/watch/visit-log.ts'
import { watchedWorld } from '../../bench/watch/watched-world.ts'

const WORLD = { seed: 'small', shops: 6, products: 8, days: 1, broken: 0, hasWeather: true }

it(
  'publishes each change that a visit could see once, over three kills, and delivers it within five seconds',
  { timeout: 240_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'avocet-watch-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    await liveAll(folder, WORLD, { kills: 3, isExamined: false })
    const [world, visits, published] = [watchedWorld(WORLD), readVisits(join(folder, 'visits.tsv')), await publishedBy(folder)]
    const judged = (changes: Published): Record<string, number> =>
      countFaults([...verdictsOn({ world, visits, published: changes }).values()].flatMap(({ faults }) => faults))

    expect(visits.deaths).toHaveLength(3)
    expect([...published.values()].flat().length).toBeGreaterThan(60)
    expect(judged(published)).toEqual({ false: 0, missed: 0, doubled: 0, late: 0 })
    const { lost, strange, delaysMs } = deliveredBy(join(folder, 'delivered.tsv'), published, visits.deaths)
    expect([lost, strange]).toEqual([0, 0])
    expect(delaysMs.at(-1)).toBeLessThanOrEqual(5_000)

    const [[host, changes] = ['', []]] = published
    const last = changes.findLast(({ kind }) => kind === 'changed') ?? changes[0]
    const tampered = (with_: typeof changes): Published => new Map([...published, [host, with_]])
    expect(judged(tampered(changes.filter((one) => one !== last)))).toMatchObject({ missed: 1 })
    expect(judged(tampered(last === undefined ? [] : [...changes, last]))).toMatchObject({ doubled: 1 })
    expect(judged(tampered(changes.map((one) => (one === last ? { ...one, after: '0.01 EUR in-stock' } : one))))).toMatchObject({
      false: 1,
    })
  },
)
