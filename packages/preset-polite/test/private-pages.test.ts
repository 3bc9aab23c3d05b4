// A site with many private pages is no site that bans us: it is read to its end, at its own pace.
import { seeded } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from '../../../test/crawl/harness.ts'
import type { Answer } from '../../../test/crawl/scripted-web.ts'
import { polite } from '../src/index.ts'

const PAGES = 1_000

describe('a site with many private pages', () => {
  it.each([0.1, 0.3])('is read to its end: a share of %f of them', async (share) => {
    const chance = seeded('private')
    const script = Object.fromEntries(
      Array.from({ length: PAGES }, (_, nth): [string, Answer] => [
        `http://club.test/p/${String(nth)}`,
        chance(nth) < share ? { status: 403 } : { body: 'ok' },
      ]),
    )
    const open = Object.values(script).filter(({ status }) => status === undefined).length

    const { report } = await run(script, { spider: pathSpider(Object.keys(script)), policies: polite() })

    expect([report.counts.done, report.counts.waiting]).toEqual([open, 0])
  })
})
