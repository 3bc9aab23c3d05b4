// Ports of other protocols: no page, no redirect and no seed leads a crawl to them.
import { link } from '@avocet/core'
import { robots } from '@avocet/plugin-robots'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from './harness.ts'
import type { Answer } from './scripted-web.ts'

const A = 'http://a.test'
const to = (location: string): Answer => ({ status: 302, headers: { location } })

describe('a port that is not for HTTP', () => {
  it.each(['host', 'domain'] as const)('is not followed from a page, with hosts keyed by %s', async (hostKeying) => {
    const spider = pathSpider([`${A}/`], {
      scope: { within: 'any' },
      handlers: {
        *start() {
          for (const port of [25, 22, 6667, 8080]) yield link(`http://a.test:${port}/x`, { handler: 'page' })
          yield link('http://other.test:10080/', { handler: 'page' })
        },
        *page() {},
      },
    })
    const { seen, report } = await run({ [`${A}/`]: {} }, { spider, hostKeying })

    expect(seen.map(({ outbound }) => outbound.url)).toEqual([`${A}/`, 'http://a.test:8080/x'])
    expect(report.counts.known).toBe(2)
  })

  it('has its own reason code', async () => {
    const reasons: string[] = []
    const spider = pathSpider([`${A}/`], { scope: { within: 'any' } })
    const { report } = await run({ [`${A}/`]: to('http://b.test:25/') }, { spider }, (made) => {
      made.hooks.onDiscover.tap('test', (found) => {
        if ('reasons' in found) reasons.push(...(found.reasons as string[]))
      })
    })

    expect(reasons).toEqual(['bad-port'])
    expect(report.problems.map(({ message }) => message).join()).toContain('which is refused (bad-port)')
  })

  it('is refused as a seed before anything is asked', async () => {
    const failing = run({}, { spider: pathSpider([`${A}/`, 'http://a.test:6000/']) })

    await expect(failing).rejects.toMatchObject({ code: 'AVO_SEED_INVALID' })
    await expect(failing).rejects.toThrow(/http:\/\/a\.test:6000\/.*port 6000/)
  })

  it('is no place for a robots.txt: the site counts as one without', async () => {
    const script: Record<string, Answer> = {
      [`${A}/robots.txt`]: to('http://b.test:25/robots.txt'),
      [`${A}/`]: {},
    }
    const { items, seen } = await run(script, { spider: pathSpider([`${A}/`]), plugins: [robots()] })

    expect(seen.map(({ outbound }) => outbound.url)).toEqual([`${A}/robots.txt`, `${A}/`])
    expect(items).toEqual([{ path: '/' }])
  })
})
