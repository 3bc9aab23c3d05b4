// Links, seeds and items with values of the wrong kind: told where the user wrote them, with what came and what to do, and never by the store.
import { crawl, link, memoryFrontier, spider, type CrawlReport, type Link, type LinkOptions, type Seed } from 'avocet'
import { siteModel, simulatedWeb, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'

const model = siteModel({ seed: 'kinds', hosts: [{ name: 'shop.test', pages: { kind: 'list', pages: 2 } }] })

/** Runs a spider of one page, on virtual time. */
function crawled(seeds: readonly (string | Seed)[], given: () => Iterable<unknown> = () => []): Promise<CrawlReport> {
  const clock = new VirtualClock()
  const handlers = { start: () => given() as Iterable<Link>, other: () => [] }
  const made = crawl({
    policies: [],
    spider: spider({ name: 'kinds', seeds, handlers }),
    clock,
    fetcher: simulatedWeb(model, { clock }),
    frontier: memoryFrontier(),
    delayMs: 0,
  })
  return clock.run(() => made.run())
}

const cycle: Record<string, unknown> = {}
cycle['self'] = cycle
const VALUES: Readonly<Record<string, unknown>> = {
  undefined: undefined,
  null: null,
  NaN: Number.NaN,
  Infinity: Infinity,
  '-1': -1,
  '1e300': 1e300,
  true: true,
  'a BigInt': 5n,
  'a Symbol': Symbol('s'),
  'a function': () => 5,
  'an empty object': {},
  'an object': { a: 'b' },
  'a cycle': cycle,
  'a list': ['a'],
  'a Map': new Map([['a', 'b']]),
  'a NaN inside': { a: [Number.NaN] },
  'a BigInt inside': { a: 5n },
  'an empty text': '',
}

/** What each field takes of these. Nothing at all is left out, but for a URL. */
const TAKEN: Readonly<Record<keyof LinkOptions, readonly string[]>> = {
  handler: [],
  priority: ['-1'],
  data: ['null', '-1', '1e300', 'true', 'an empty object', 'an object', 'a list', 'an empty text'],
  anchorText: ['an empty text'],
  method: [],
  headers: ['an empty object', 'an object'],
  body: ['an empty text'],
  identity: [],
  session: [],
  render: [],
  again: ['true'],
  modifiedAt: ['-1', '1e300'],
}
const CASES = Object.entries(TAKEN).flatMap(([field, taken]) =>
  Object.keys(VALUES).map((what) => ({ field, what, isTaken: what === 'undefined' || taken.includes(what) })),
)

describe('a link', () => {
  it.each(CASES.filter(({ isTaken }) => !isTaken))('whose $field is $what is refused where it is made', ({ field, what }) => {
    const options = { [field]: VALUES[what] } as LinkOptions
    const refusal = {
      code: 'AVO_HANDLER_LINK_INVALID',
      message: expect.stringMatching(new RegExp(`^link\\("/item/2"\\): expected .*${field}.*, got .+; `)) as string,
    }

    expect(() => link('/item/2', options)).toThrow(expect.objectContaining(refusal) as Error)
  })

  it.each(CASES.filter(({ isTaken }) => isTaken))('whose $field is $what is followed', async ({ field, what }) => {
    const options = { handler: 'other', [field]: VALUES[what], ...(field === 'handler' && { handler: undefined }) } as LinkOptions
    const report = await crawled(['http://shop.test/item/1'], () => [link('/item/2', options)])

    expect(report.problems).toEqual([])
    expect(report.counts).toMatchObject({ known: 2, failed: 0 })
  })

  it.each([undefined, null, 5, {}, Symbol('s'), () => '/2'])('to %s is refused: there is no such URL', (url) => {
    expect(() => link(url as string)).toThrow(
      expect.objectContaining({
        code: 'AVO_HANDLER_LINK_INVALID',
        message: expect.stringMatching(/^expected link\(\) to be given a URL .*, got .+; /) as string,
      }) as Error,
    )
  })

  it.each([null, 5, 'other', []])('with %j for its options is refused', (options) => {
    expect(() => link('/item/2', options as unknown as LinkOptions)).toThrow(
      /^link\("\/item\/2"\): expected options to be an object, got /,
    )
  })

  it.each([
    [{ method: 'GE T' }, "expected method to be a method, got 'GE T'"],
    [{ headers: { 'Keep-Alive': '5' } }, "of none that the connection sets, got 'Keep-Alive'"],
    [{ headers: { 'transfer-encoding': 'chunked' } }, "of none that the connection sets, got 'transfer-encoding'"],
    [
      { headers: { 'a b': 'c' } },
      "expected each name in headers to be the name of a header field, such as accept-language, and of none that the connection sets, got 'a b'",
    ],
    [
      { headers: { ok: 'x\ny' } },
      "expected headers['ok'] to be a text without line breaks and characters above U+00FF, got one with them",
    ],
  ])('with %j, which HTTP cannot carry, is refused where it is made', (options, message) => {
    expect(() => link('/item/2', options)).toThrow(
      expect.objectContaining({ code: 'AVO_HANDLER_LINK_INVALID', message: expect.stringContaining(message) as string }) as Error,
    )
  })

  it('is the fault of the handler that made it, which is named; its page fails, and the crawl goes on', async () => {
    const report = await crawled(['http://shop.test/item/1', { url: 'http://shop.test/item/2', handler: 'other' }], function* () {
      yield link('/3', { priority: Number.NaN })
    })

    expect(report.counts).toMatchObject({ done: 1, failed: 1 })
    expect(report.failures).toEqual([{ reason: 'handler-link-invalid', count: 1 }])
    expect(report.handlerErrors[0]?.message).toMatch(/link\("\/3"\): expected priority to be a whole number, got NaN; /)
  })
})

describe('a seed', () => {
  const ofSeeds = CASES.filter(({ field }) => field !== 'anchorText')

  it.each(ofSeeds.filter(({ isTaken }) => !isTaken))('whose $field is $what is no seed', async ({ field, what }) => {
    await expect(crawled([{ url: 'http://shop.test/item/1', [field]: VALUES[what] }])).rejects.toMatchObject({
      code: 'AVO_SEED_INVALID',
      message: expect.stringMatching(new RegExp(`expected .*${field}.*, got .+; `)) as string,
    })
  })

  it.each(ofSeeds.filter(({ isTaken }) => isTaken))('whose $field is $what is crawled', async ({ field, what }) => {
    const report = await crawled([{ url: 'http://shop.test/item/1', [field]: VALUES[what] }])

    expect(report.problems).toEqual([])
    expect(report.counts).toMatchObject({ known: 1, done: 1 })
  })

  it.each(Object.entries(VALUES))('that is %s is none', async (_what, value) => {
    const crawling = async (): Promise<unknown> => crawled([value as Seed])

    await expect(crawling()).rejects.toThrow(
      /^a seed has no option '|^expected every seed to be an absolute http\(s\) URL, got .+; write/,
    )
  })
})

describe('an item', () => {
  const isItem = (what: string): boolean => /^an (?:empty )?object$|NaN inside/.test(what)

  it.each(Object.entries(VALUES).filter(([what]) => !isItem(what)))('that is %s is none', async (_what, value) => {
    const report = await crawled(['http://shop.test/item/1'], () => [value])

    expect(report.failures).toEqual([{ reason: 'handler-yield-invalid', count: 1 }])
    expect(report.handlerErrors[0]?.message).toMatch(/expected handler start to yield an item .*, got .+; /)
  })
})
