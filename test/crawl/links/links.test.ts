// Which links of which pages become requests: what is known is told by the resolved URL, whatever was written.
import { link, spider, type Link } from 'avocet'
import { describe, expect, it } from 'vitest'
import { run } from '../harness.ts'
import type { Answer } from '../scripted-web.ts'

const A = 'http://a.test'
const B = 'http://b.test'

/** Every page yields `links`, unless it was linked to. */
function linking(seeds: readonly string[], links: readonly Link[]): ReturnType<typeof spider> {
  return spider({
    name: 'test',
    seeds,
    handlers: {
      *start() {
        yield* links
      },
      *page({ url }) {
        yield { url: url.href }
      },
    },
  })
}

/** Slow enough that with one slot each page is committed before the next one yields. */
const anyPage = (urls: readonly string[]): Record<string, Answer> =>
  Object.fromEntries(urls.map((url) => [url, { body: 'ok', afterMs: 500 }]))

describe('a link', () => {
  it('of a page that says nofollow to the name in the user agent is not followed', async () => {
    const headers = { 'content-type': 'text/html', 'x-robots-tag': 'otherbot: none, Our-Bot: nofollow' }
    const page = { headers, body: '<a href=/p>p</a>' }
    const all = spider({ name: 'all', seeds: [`${A}/`], handlers: { start: (at) => at.links() } })
    const found = await Promise.all(
      ['our-bot/1.0 (+https://x.test)', 'their-bot/1.0'].map(async (userAgent) => {
        const { seen } = await run({ [`${A}/`]: page }, { spider: all, userAgent })
        return seen.map(({ outbound }) => outbound.url)
      }),
    )

    expect(found).toEqual([[`${A}/`], [`${A}/`, `${A}/p`]])
  })

  it('that two hosts write alike leads to a page of each', async () => {
    const script = anyPage([`${A}/`, `${B}/`, `${A}/p2`, `${B}/p2`])
    const { items } = await run(script, {
      spider: linking([`${A}/`, `${B}/`], [link('/p2', { handler: 'page' })]),
      concurrency: 1,
    })

    expect(items).toEqual([{ url: `${A}/p2` }, { url: `${B}/p2` }])
  })

  it('to the next page, as four categories write it, leads to the next page of each', async () => {
    const categories = ['red', 'green', 'blue', 'grey'].map((name) => `${A}/${name}`)
    const next = categories.map((url) => `${url}?page=2`)
    const { items, report } = await run(anyPage([...categories, ...next]), {
      spider: linking(categories, [link('?page=2', { handler: 'page' })]),
      concurrency: 1,
    })

    expect(items).toEqual(next.map((url) => ({ url })))
    expect(report.run).toMatchObject({ links: 4, added: 4 })
  })

  it.each([
    { text: '//c.test/x', seeds: ['http://c.test/', 'https://c.test/'], urls: ['http://c.test/x', 'https://c.test/x'] },
    { text: ' /x ', seeds: [`${A}/`, `${B}/`], urls: [`${A}/x`, `${B}/x`] },
    { text: 'x', seeds: [`${A}/1/`, `${A}/2/`], urls: [`${A}/1/x`, `${A}/2/x`] },
    { text: '../x', seeds: [`${A}/1/2/`, `${A}/3/4/`], urls: [`${A}/1/x`, `${A}/3/x`] },
    { text: '#top', seeds: [`${A}/1`, `${A}/2`], urls: [`${A}/1`, `${A}/2`] },
    { text: '', seeds: [`${A}/1`, `${A}/2`], urls: [`${A}/1`, `${A}/2`] },
    { text: 'http:x', seeds: [`${A}/1/`, `${A}/2/`], urls: [`${A}/1/x`, `${A}/2/x`] },
    { text: '\\x', seeds: [`${A}/`, `${B}/`], urls: [`${A}/x`, `${B}/x`] },
  ])('$text is one request for each page that it leads to', async ({ text, seeds, urls }) => {
    const { items } = await run(anyPage([...seeds, ...urls]), {
      spider: linking(seeds, [link(text, { handler: 'page' })]),
      concurrency: 1,
    })

    expect(items).toEqual(urls.map((url) => ({ url })))
  })

  it('is requested once, however many pages spell it', async () => {
    const spellings = [`${A}/x`, '/x', 'x', './x', '//a.test/x', `${A}/x#y`, ' /x', 'HTTP://A.TEST/x']
    const { seen } = await run(anyPage([`${A}/`, `${A}/2`, `${A}/x`]), {
      spider: linking(
        [`${A}/`, `${A}/2`],
        spellings.map((text) => link(text, { handler: 'page' })),
      ),
    })

    expect(seen.filter(({ outbound }) => outbound.url === `${A}/x`)).toHaveLength(1)
  })
})
