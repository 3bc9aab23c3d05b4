// Whether a host keeps us out is decided once, by core; rate, breaker and retry go by it. Whole crawls on virtual time.
import { definePlugin, memoryFrontier, type CrawlConfig, type Plugin } from 'avocet'
import { aimd } from '@avocet/plugin-aimd'
import { breaker } from '@avocet/plugin-breaker'
import { retry } from '@avocet/plugin-retry'
import { robots } from '@avocet/plugin-robots'
import { describe, expect, it } from 'vitest'
import { pathSpider, run, type Ran } from './harness.ts'
import type { Answer } from './scripted-web.ts'
import { deadLetterClassOf } from '../../packages/project/src/store/dead-letter-class.ts'

const HOST = 'http://club.test'
const MINUTE = 60_000

/** Pages /1 to /n; the first `open` of them are served, the others have this status. */
function site(n: number, open: number, status: number): Record<string, Answer> {
  return Object.fromEntries(Array.from({ length: n }, (_, i) => [`${HOST}/${i + 1}`, i < open ? { body: 'ok' } : { status }]))
}

/** `accepted`: the spider takes this status for a page. */
function crawled(
  script: Record<string, Answer>,
  { accepted = 200, ...config }: Partial<CrawlConfig> & { accepted?: number } = {},
): Promise<Ran> {
  const spider = pathSpider(
    Object.keys(script).filter((url) => !url.endsWith('.txt')),
    { accepts: (status) => status === 200 || status === accepted },
  )
  return run(script, { spider, patienceMs: 24 * 60 * MINUTE, ...config })
}

/** Whether a host was left alone for minutes, or a page of it asked for again. */
function reacted({ asked }: Ran): boolean {
  const times = asked.map((line) => Number(line.split(' ')[0]))
  const pages = new Set(asked.map((line) => line.split(' ')[1]))
  return asked.length > pages.size || times.some((at, n) => at - (times[n - 1] ?? at) > 5 * MINUTE)
}

describe.each<[string, () => Plugin]>([
  ['aimd', () => aimd()],
  ['breaker', () => breaker()],
  ['retry', () => retry()],
])('the decision that a host keeps us out, as %s has it', (_name, plugin) => {
  it.each<[string, number, Parameters<typeof crawled>[1], boolean]>([
    ['is made of forbidden pages', 403, {}, true],
    ['is not made of pages that the spider accepts', 403, { accepted: 403 }, false],
    ['is made of the statuses that the user set', 418, { blockedStatuses: [418] }, true],
    ['is not made of pages that cost money', 402, {}, false],
    ['is made of no others', 403, { blockedStatuses: [418] }, false],
    ['is made of none, where the user set none', 403, { blockedStatuses: [] }, false],
    ['is not made of statuses that the user set and the spider accepts', 418, { blockedStatuses: [418], accepted: 418 }, false],
    ['is made of an error of the server, where the user set that', 520, { blockedStatuses: [520] }, true],
  ])('%s', async (_what, status, config, expected) => {
    expect(reacted(await crawled(site(24, 6, status), { ...config, plugins: [plugin()] }))).toBe(expected)
  })
})

it('requests a page that costs money once, whatever a plugin wants to repeat, and settles it with a class of its own', async () => {
  const insists = definePlugin({ name: 'insists', onResponse: (answer) => answer.retry(answer.now + 1_000, 'again') })
  const { asked, report } = await crawled(site(3, 0, 402), { plugins: [insists] })

  expect(asked).toHaveLength(3)
  expect(report.failures).toEqual([{ reason: 'http-402', count: 3 }])
  expect(deadLetterClassOf('http-402')).toBe('payment')
})

describe('what core says of it', () => {
  /** Writes down what core says at each page. */
  const listening = (said: string[]): Plugin =>
    definePlugin({
      name: 'listening',
      onResponse({ exchange: { host, required }, forbidden }) {
        const { inRow, isSuspected, isCertain } = host.blocking
        if (!required) said.push(`${forbidden ? 'x' : '.'}${inRow}${isCertain ? '!' : isSuspected ? '?' : ''}`)
      },
    })

  it('is known when plugins hear of the answer', async () => {
    const said: string[] = []
    await crawled(site(12, 1, 403), { plugins: [listening(said)] })
    expect(said.join(' ')).toBe('.0 x1 x2? x3? x4? x5? x6? x7? x8? x9? x10! x11!')
  })

  it('says nothing by documents that plugins require', async () => {
    const said: string[] = []
    const script = { ...site(3, 1, 403), [`${HOST}/robots.txt`]: { status: 403 } }
    await crawled(script, { plugins: [robots(), listening(said)] })
    expect(said.join(' ')).toBe('.0 x1 x2?')
  })

  it('goes on in the next run', async () => {
    const [said, frontier] = [[] as string[], memoryFrontier()]
    const script = site(14, 2, 403)
    const urls = Object.keys(script)
    for (const seeds of [urls.slice(0, 8), urls])
      await run(script, { spider: pathSpider(seeds), frontier, plugins: [listening(said)] })
    expect(said.join(' ')).toBe('.0 .0 x1 x2? x3? x4? x5? x6? x7? x8? x9? x10! x11! x12!')
  })
})

it.each([[[200]], [[402]], [[429]], [[503]], [[403.5]], [['403']], [403], [null]])(
  'refuses blockedStatuses %j',
  async (blockedStatuses) => {
    const config = { blockedStatuses } as unknown as Partial<CrawlConfig>
    await expect(crawled(site(1, 1, 200), config)).rejects.toThrow('expected blockedStatuses to be a list of statuses from 400')
  },
)
