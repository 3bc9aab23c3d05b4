// Pages large enough to stop the event loop: they are read in steps, and everything else goes on between them.
import { link, spider } from '@avocet/core'
import { describe, expect, it } from 'vitest'
import { run } from './harness.ts'

const SHOP = 'http://shop.test'

describe('a large page', () => {
  it('leaves the event loop to others while it is read, and gives its handler all that it has', async () => {
    const body = `<title>Large</title>${'<p>x</p>'.repeat(500_000)}<a href=/small>y</a>`
    const seen: string[] = []
    let turns = 0
    let isOver = false
    const count = (): void => {
      turns++
      if (!isOver) setImmediate(count)
    }
    let turnsBefore = 0
    const shop = spider({
      name: 'test',
      seeds: [`${SHOP}/large`],
      handlers: {
        *start(page) {
          seen.push(`${page.url.pathname} ${page.title}`)
          if (page.url.pathname === '/large') turnsBefore = turns
          for (const { url } of page.anchors) yield link(url)
        },
      },
    })

    setImmediate(count)
    const { report } = await run(
      { [`${SHOP}/large`]: { body }, [`${SHOP}/small`]: { body: '<title>Small</title>' } },
      { spider: shop },
    )
    isOver = true

    expect(report).toMatchObject({ ended: 'done', counts: { done: 2 } })
    expect(seen).toEqual(['/large Large', '/small Small'])
    // 4 MB in steps of 256 KiB.
    expect(turnsBefore).toBeGreaterThan(15)
  })

  it('is read beside others of its kind in the order of their answers, and the run is the same each time', async () => {
    const body = '<p>x</p>'.repeat(100_000)
    const script = Object.fromEntries(['a', 'b', 'c'].map((name) => [`http://${name}.test/`, { body }]))
    const once = async (): Promise<readonly string[]> => {
      const seen: string[] = []
      const all = spider({
        name: 'test',
        seeds: Object.keys(script),
        handlers: {
          *start(page) {
            seen.push(page.url.host)
            yield { n: page.body.length }
          },
        },
      })
      const { report } = await run(script, { spider: all })
      expect(report).toMatchObject({ ended: 'done', counts: { done: 3 } })
      return seen
    }

    const first = await once()
    expect(first).toHaveLength(3)
    expect(await once()).toEqual(first)
  })
})
