// What a crawl says of errors in the user's own code: by kind and line, and never fewer than there were.
import { spider, type Spider } from 'avocet'
import { describe, expect, it } from 'vitest'
import { run } from './harness.ts'
import { deadLetterClassOf } from '../../packages/project/src/store/dead-letter-class.ts'

const HOST = 'http://shop.test'
const HERE = import.meta.filename

/** Pages 1 to 4 of the shop, each with a handler that fails as `fail` does. */
function failing(handlers: Spider['handlers']): Promise<Awaited<ReturnType<typeof run>>> {
  const seeds = [1, 2, 3, 4].map((n) => `${HOST}/${n}`)
  const script = Object.fromEntries(seeds.map((url) => [url, { body: '<p>ok</p>' }]))
  return run(script, { spider: spider({ name: 'shop', seeds, handlers }), delayMs: 0 })
}

describe('errors in handlers', () => {
  it('are grouped by kind and line, and add up to the pages that failed', async () => {
    const { report } = await failing({
      *start(page) {
        const price = page.$('.price').attr('content') as unknown as string
        if (page.url.pathname === '/4') throw new Error(`nothing for sale at ${page.url.href}`)
        yield { price: price.trim() }
      },
    })

    expect(report.handlerErrors).toMatchObject([
      {
        count: 3,
        message: "TypeError: Cannot read properties of undefined (reading 'trim')",
        url: `${HOST}/1`,
        handler: 'start',
      },
      { count: 1, message: `Error: nothing for sale at ${HOST}/4`, url: `${HOST}/4` },
    ])
    for (const { place = '', stack } of report.handlerErrors) {
      expect(place.replace(/:\d+:\d+$/, '')).toBe(HERE)
      // Vitest marks the module of a test file.
      expect(stack?.replace(/\?vitest=\d+/g, '')).toContain(place)
    }
    const failed = report.failures.filter(({ reason }) => deadLetterClassOf(reason) === 'handler')
    expect(report.handlerErrors.reduce((sum, { count }) => sum + count, 0)).toBe(
      failed.reduce((sum, { count }) => sum + count, 0),
    )
    expect(report.problems).toEqual([])
  })

  it('use up the pages that a run may request', async () => {
    const seeds = [1, 2, 3, 4, 5].map((n) => `${HOST}/${n}`)
    const script = Object.fromEntries(seeds.map((url) => [url, { body: '<p>ok</p>' }]))
    const broken = spider({
      name: 'shop',
      seeds,
      handlers: {
        start() {
          throw new Error('no price')
        },
      },
    })

    const { report, seen } = await run(script, { spider: broken, delayMs: 0, maxPages: 2 })

    expect(report).toMatchObject({ ended: 'limit', why: 'maxPages is reached', run: { pages: 0, failed: 2 } })
    expect(seen).toHaveLength(2)
  })

  it('are told once while the crawl runs, with the page that had the first', async () => {
    const told: string[] = []
    const seeds = [`${HOST}/1`, `${HOST}/2`]
    await run(
      { [`${HOST}/1`]: { body: '' }, [`${HOST}/2`]: { body: '' } },
      {
        spider: spider({
          name: 'shop',
          seeds,
          handlers: {
            start(page) {
              throw new RangeError(`row ${page.url.pathname.slice(1)}`)
            },
          },
        }),
        plugins: [{ name: 'ear', onTrace: (event) => void (event.kind === 'problem' && told.push(event.message)) }],
      },
    )

    expect(told).toEqual([expect.stringMatching(/handler-errors\.test\.ts:\d+:\d+ RangeError: row 1, first at .*\/1$/) as string])
  })

  it('close the parenthesis in which their message is cut off', async () => {
    const { report } = await failing({
      start() {
        throw new Error('no price (the row was:\n<tr>\n</tr>)')
      },
    })

    expect(report.handlerErrors).toMatchObject([{ count: 4, message: 'Error: no price (the row was:…)' }])
  })

  it('that are thrown by whatever, and cannot be read, still count', async () => {
    const trap = Object.defineProperty(new Error('x'), 'stack', {
      get() {
        throw new Error('no stack')
      },
    })
    const { report } = await failing({
      start() {
        throw trap
      },
    })

    expect(report.handlerErrors).toMatchObject([{ count: 4, message: 'handler start threw x' }])
  })
})
