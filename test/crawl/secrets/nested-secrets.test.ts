// Secrets where they are not the plain value of a parameter: within another URL, behind another separator, in a path, in header fields, in a robots.txt.
import { memoryFrontier, spider, type CrawlConfig, type Plugin } from 'avocet'
import type { Frontier } from '@avocet/core/store'
import { robots } from '@avocet/plugin-robots'
import { describe, expect, it } from 'vitest'
import { run, type Ran } from '../harness.ts'
import type { Answer } from '../scripted-web.ts'

const SHOP = 'https://shop.test'
const SECRET = 's3cret-value'
const SEED = `${SHOP}/?token=${SECRET}`
const to = (location: string): Answer => ({ status: 302, headers: { location } })
const page = (...hrefs: readonly string[]): Answer => ({ body: hrefs.map((href) => `<a href="${href}">x</a>`).join('') })

interface Heard extends Ran {
  /** All that plugins, the store and the report were told. */
  readonly told: string
  readonly sent: readonly string[]
}

async function stored({ reader }: Frontier): Promise<unknown> {
  return [await reader.requests({ limit: 99 }), await reader.failures(), await reader.items({ afterSeq: 0, limit: 99 })]
}

async function crawled(script: Readonly<Record<string, Answer>>, config: Partial<CrawlConfig> = {}): Promise<Heard> {
  const heard: unknown[] = []
  const listener: Plugin = {
    name: 'listener',
    onDiscover: ({ url, from }) => void heard.push(url, from),
    beforeRequest: ({ exchange }) => void heard.push(exchange.request),
    onResponse: ({ response }) => void heard.push(response.url, response.headers),
    onSettled: ({ request, outcome }) => void heard.push(request, outcome),
  }
  const { plugins = [], ...rest } = config
  const spec = spider({
    name: 'test',
    seeds: [SEED],
    handlers: {
      *start(found) {
        yield { url: found.url.href, headers: found.response.headers }
        yield* found.links()
      },
    },
  })
  const frontier = memoryFrontier()
  const all = { spider: spec, secretParameters: ['token'], delayMs: 0, frontier, ...rest, plugins: [listener, ...plugins] }
  const ran = await run(script, all, ({ hooks }) =>
    hooks.onTrace.tap('listener', (event) => void (event.kind === 'problem' && heard.push(event))),
  )
  const told = JSON.stringify([heard, ran.report, ran.items, await stored(frontier)])
  return { ...ran, told, sent: ran.seen.map(({ outbound }) => outbound.url.slice(SHOP.length)) }
}

describe('the value of a secret parameter', () => {
  const once = encodeURIComponent(`/?token=${SECRET}`)
  it.each([
    ['in an encoded URL', `/login?next=${once}`],
    ['in a URL that is encoded twice', `/login?next=${encodeURIComponent(once)}`],
    ['that nobody knew, in an encoded URL', '/login?next=%2F%3Fa%3D1%26token%3Dnew-s3cret-value%26b%3D2'],
    ['in a URL that is not encoded', '/login?next=/?token=new-s3cret-value'],
    ['behind a semicolon', `/a?b=1;token=new-s3cret-value;c=2`],
    ['behind an ampersand that was escaped twice', '/a?b=1&amp;token=new-s3cret-value'],
    ['in a parameter of another name', `/a?ref=${SECRET}`],
    ['in a path', `/a/${SECRET}/b`],
  ])('%s is hidden, and goes to the server as it was found', async (_where, path) => {
    for (const first of [to(path), page(path.replaceAll('&', '&amp;'))]) {
      const ran = await crawled({ [SEED]: first, [SHOP + path]: {} })

      expect(ran.sent).toEqual([`/?token=${SECRET}`, path])
      expect(ran.told).not.toContain('s3cret-value')
      expect(ran.report.counts.failed).toBe(0)
    }
  })

  it('is in no failure of a redirect without a target', async () => {
    const ran = await crawled({ [SEED]: to(`ftp://x.test/?next=${once}&b=${SECRET}`) })

    expect(ran.report.counts.failed).toBe(1)
    expect(ran.told).not.toContain('s3cret-value')
  })

  it('is in no text of an anchor', async () => {
    const ran = await crawled({ [SEED]: { body: `<a href="/a">/?token=${SECRET} or ${SECRET}</a>` }, [`${SHOP}/a`]: {} })

    expect(ran.sent).toContain('/a')
    expect(ran.told).not.toContain('s3cret-value')
  })

  it('that is short, and stands elsewhere by chance, hides nothing there', async () => {
    const ran = await crawled(
      { [`${SHOP}/?token=a`]: page('/a?b=a'), [`${SHOP}/a?b=a`]: {} },
      {
        spider: spider({
          name: 'test',
          seeds: [`${SHOP}/?token=a`],
          handlers: {
            *start(found) {
              yield* found.links()
            },
          },
        }),
      },
    )

    expect(ran.told).toContain(`${SHOP}/a?b=a`)
  })

  it('in header fields of an answer is hidden from plugins and handlers, and its redirect is followed', async () => {
    const location = { location: '/a?token=new-s3cret-value' }
    const fields = { 'content-location': `/b?token=${SECRET}`, refresh: `9; url=/b?token=${SECRET}`, 'x-who': SECRET }
    const ran = await crawled({
      [SEED]: page('/plain'),
      [`${SHOP}/plain`]: { status: 302, headers: location },
      [`${SHOP}/a?token=new-s3cret-value`]: { headers: fields },
      [`${SHOP}/b?token=${SECRET}`]: {},
    })

    expect(ran.sent).toEqual([`/?token=${SECRET}`, '/plain', '/a?token=new-s3cret-value', '/b?token=new-s3cret-value'])
    expect(ran.told).not.toContain('s3cret-value')
    expect(ran.items).toMatchObject([{}, { headers: { refresh: '9; url=/b?token=__secret__', 'x-who': '__secret__' } }])
  })

  it('in a cookie that a server sets stays as it is: it must come back', async () => {
    const ran = await crawled({ [SEED]: { headers: { 'set-cookie': `sid=${SECRET}` } } })

    expect(ran.items).toMatchObject([{ headers: { 'set-cookie': `sid=${SECRET}` } }])
  })

  it('in the redirect that a plugin serves is hidden, and followed', async () => {
    const served: Plugin = {
      name: 'served',
      beforeRequest: (outgoing) => {
        if (outgoing.exchange.request.url !== `${SHOP}/plain`) return
        const timings = { firstByteMs: 0, bodyMs: 0, reusedSocket: false }
        const headers = { location: '/a?token=new-s3cret-value' }
        outgoing.serve({ url: `${SHOP}/plain`, status: 302, headers, body: new Uint8Array(), wireBytes: 0, timings })
      },
    }
    const script = { [SEED]: page('/plain'), [`${SHOP}/a?token=new-s3cret-value`]: {} }
    const ran = await crawled(script, { plugins: [served] })

    expect(ran.sent).toEqual([`/?token=${SECRET}`, '/a?token=new-s3cret-value'])
    expect(ran.told).not.toContain('s3cret-value')
  })

  it('in a robots.txt is not kept, and its rules hold', async () => {
    const frontier = memoryFrontier()
    const body = `User-agent: *\nDisallow: /x?token=${SECRET}\nDisallow: /y?token=*\nSitemap: ${SHOP}/map.xml?token=new-s3cret-value\n`
    const hrefs = [`/x?token=${SECRET}`, `/y?token=${SECRET}`, `/z?token=${SECRET}`]
    const script = { [`${SHOP}/robots.txt`]: { body }, [SEED]: page(...hrefs), [`${SHOP}/z?token=${SECRET}`]: {} }
    const ran = await crawled(script, { plugins: [robots()], frontier })

    expect(ran.sent).toEqual(['/robots.txt', `/?token=${SECRET}`, `/z?token=${SECRET}`])
    const hosts = JSON.stringify(await frontier.reader.hosts({ limit: 9 }))
    expect(hosts + ran.told).not.toContain('s3cret-value')
  })
})
