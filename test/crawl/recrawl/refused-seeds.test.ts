// A seed that the crawl refuses is told: without it a crawl of 800 shops that skips three of them looks complete.
import { definePlugin } from '@avocet/core'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from '../harness.ts'

const script = { 'http://a.test/': { body: 'ok' } }

describe('a refused seed', () => {
  it('is reported with the reason, the first of each named and all counted, and the others are crawled', async () => {
    const seeds = ['http://a.test/', 'http://a.test/private/1', 'http://a.test/private/2', 'http://b.test/']
    const noB = definePlugin({
      name: 'no-b',
      onDiscover(found) {
        if (found.hostKey === 'b.test') found.refuse('not-b')
      },
    })
    const { report } = await run(script, { spider: pathSpider(seeds, { scope: { deny: [/private/] } }), plugins: [noB] })

    expect(report.run.pages).toBe(1)
    const remedy = 'change the scope or the plugin that refuses it, or remove it from the seeds'
    expect(report.problems).toEqual([
      { message: `a seed is refused and not requested (denied: http://a.test/private/1); ${remedy}`, count: 2 },
      { message: `a seed is refused and not requested (not-b: http://b.test/); ${remedy}`, count: 1 },
    ])
  })

  it('is named without its secrets', async () => {
    const seeds = ['http://a.test/', 'http://user:pass-word@a.test/private?token=s3cret']
    const spider = pathSpider(seeds, { scope: { deny: [/private/] } })
    const { report } = await run(script, { spider, secretParameters: ['token'] })

    expect(report.problems).toHaveLength(1)
    expect(JSON.stringify(report)).not.toMatch(/s3cret|pass-word/)
  })

  it('is not reported where there is none', async () => {
    const { report } = await run(script, { spider: pathSpider(['http://a.test/']) })

    expect(report.problems).toEqual([])
  })
})
