// What somebody reads who yields what is neither item nor link: the handler, the value, and what to write instead.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'

const CORE = fileURLToPath(new URL('../../../core/src/index.ts', import.meta.url))

let folder: string
let site: SmallSite

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-yield-'))
  site = await smallSite(1)
})
afterEach(async () => {
  site.close()
  await rm(folder, { recursive: true })
})

/** The error of a crawl whose handler has this in line 8. */
async function errorOf(line: string, how = '*start'): Promise<{ message: string; place?: string }> {
  await writeFile(
    join(folder, 'shop.ts'),
    `import { link } from '${CORE}'
export default {
  name: 'shop',
  seeds: ['${site.url}'],
  handlers: {
    ${how}(page) {
      yield { title: page.title }
      ${line}
    },
  },
}
`,
  )
  const { stdout } = await runCli(['crawl', 'shop.ts', '--store', ':memory:', '--rate', 'none', '--json'], { folder })
  const { handlerErrors, counts } = JSON.parse(stdout) as { handlerErrors: { message: string; place?: string }[]; counts: object }
  expect(counts).toMatchObject({ known: 1, failed: 1, items: 0 })
  return handlerErrors[0] ?? { message: 'none' }
}

const IS = 'expected handler start to yield an item (a plain object) or a link, got'

const PLAIN_DATA = 'yield texts for dates, URLs and bigints, null where there is no value, and plain objects and lists'

describe('a handler that yields', () => {
  it.each([
    [
      'a price that is none',
      'yield { offers: [{}, {}, { price: NaN }] }',
      `${IS} an item that is not JSON: $.offers[2].price is NaN`,
    ],
    ['a date', 'yield { at: new Date(0) }', `${IS} an item that is not JSON: $.at is a Date; ${PLAIN_DATA}`],
    ['a map', 'yield { sizes: new Map() }', `${IS} an item that is not JSON: $.sizes is a Map; ${PLAIN_DATA}`],
    ['a function', 'yield { title: page.text }', `${IS} an item that is not JSON: $.title is a function; ${PLAIN_DATA}`],
    ['a bigint', 'yield { id: [1n] }', `${IS} an item that is not JSON: $.id[0] is a bigint; ${PLAIN_DATA}`],
    ['a hole in a list', 'yield { tags: [undefined] }', `${IS} an item that is not JSON: $.tags[0] is undefined`],
    ['links without yield*', 'yield page.links()', `${IS} a list; write yield* in front of it, as in yield* page.links()`],
    ['a text', "yield '/next'", `${IS} '/next'; for a URL write yield link(url), for an item yield an object`],
    [
      'a link to a handler that is none',
      "yield link('/x', { handler: 'strat' })",
      'which the spider does not have (did you mean',
    ],
  ])('%s is told what to write', async (_what, line, message) => {
    const error = await errorOf(line)

    expect(error.message).toContain(message)
    expect(site.asked).toEqual(['/'])
  })

  it.each([
    ['a link to nothing', 'yield link(undefined)', 'expected link() to be given a URL as text, got nothing'],
    [
      'links of an element',
      "yield* page.links(page.$('a')[0] ?? page.$('body')[0])",
      'expected page.links() to be given a selector as text, got an instance of Element; write page.links(',
    ],
    ['links of a selection', "yield* page.links(page.$('a'))", 'got a selection of page.$; write page.links('],
  ])('%s is told the line', async (_what, line, message) => {
    const error = await errorOf(line)

    expect(error.message).toContain(message)
    expect(error.place?.replace(/:\d+$/, '')).toBe(`${join(folder, 'shop.ts')}:8`)
  })

  it('out of an async generator is told what to write', async () => {
    const error = await errorOf('yield { price: Infinity }', 'async *start')

    expect(error.message).toContain('$.price is Infinity')
  })
})
