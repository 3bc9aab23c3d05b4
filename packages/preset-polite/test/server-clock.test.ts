// A server that says Retry-After as a date means its own clock: a minute is a minute, wherever that clock stands.
import { definePlugin, type Plugin } from '@avocet/core'
import { journal, journalOf } from '../../plugin-journal/src/index.ts'
import { retry } from '@avocet/plugin-retry'
import { robots } from '@avocet/plugin-robots'
import { describe, expect, it } from 'vitest'
import { pathSpider, run, type Ran } from '../../../test/crawl/harness.ts'
import type { Answer } from '../../../test/crawl/scripted-web.ts'
import { polite } from '../src/index.ts'

const SHOP = 'http://shop.test'
const HOUR = 3_600_000
/** When the virtual clock begins. */
const START = 1_767_225_600_000

const httpText = (at: number): string => new Date(at).toUTCString()

/** Refuses once: wait for a minute, by a clock that is `aheadMs` ahead of ours. */
const refusal = (aheadMs: number): Answer => ({
  status: 503,
  headers: { date: httpText(START + aheadMs), 'retry-after': httpText(START + aheadMs + 60_000) },
})

const SETS: readonly [string, () => readonly Plugin[]][] = [
  ['core’s own politeness', () => []],
  ['retry alone', () => [retry(), definePlugin({ name: 'no-pace', policy: 'rate' })]],
  ['polite()', () => [...polite({ robots: false })]],
]

const asked = ({ asked: lines }: Ran, path: string): number[] =>
  lines.filter((line) => line.endsWith(` ${path}`)).map((line) => Number(line.split(' ')[0]))

describe.each([
  ['two hours ahead', 2 * HOUR],
  ['two hours behind', -2 * HOUR],
  ['ten years behind', -87_600 * HOUR],
] as const)('a Retry-After of a minute, as a date by a server clock that is %s,', (_what, aheadMs) => {
  it.each(SETS)('is a minute for %s', async (_name, plugins) => {
    const script = { [`${SHOP}/1`]: [refusal(aheadMs), { body: 'ok' }] }
    const ran = await run(script, { spider: pathSpider([`${SHOP}/1`]), plugins: plugins() })

    const [, again = 0] = asked(ran, '/1')
    expect(ran.report.run.pages).toBe(1)
    expect(again).toBeGreaterThanOrEqual(60_000)
    expect(again).toBeLessThan(66_100)
  })

  it('is a minute for robots.txt too', async () => {
    const script = {
      [`${SHOP}/robots.txt`]: [refusal(aheadMs), { body: 'User-agent: *' }],
      [`${SHOP}/1`]: { body: 'ok' },
    }
    const ran = await run(script, {
      spider: pathSpider([`${SHOP}/1`]),
      plugins: [robots(), definePlugin({ name: 'no-pace', policy: 'rate' })],
    })

    const [, again = 0] = asked(ran, '/robots.txt')
    expect(ran.report.run.pages).toBe(1)
    expect(again).toBeGreaterThanOrEqual(60_000)
    expect(again).toBeLessThan(66_100)
  })

  it('is a minute for the journal', async () => {
    const script = { [`${SHOP}/1`]: [refusal(aheadMs), { body: 'ok' }] }
    const ran = await run(script, { spider: pathSpider([`${SHOP}/1`]), plugins: [journal()] })

    const left = journalOf((await ran.frontier.reader.hosts({ hostKey: 'shop.test' }))[0]?.memory ?? {})
    expect(left?.waits).toMatchObject({ asked: 1, longestMs: 60_000, early: 0 })
  })
})
