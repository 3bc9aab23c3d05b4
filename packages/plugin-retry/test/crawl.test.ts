// Retries in whole crawls on virtual time: what is asked again and when, what is given up, and that no page is lost to an outage.
import type { Plugin } from '@avocet/core'
import { breaker } from '@avocet/plugin-breaker'
import { describe, expect, it } from 'vitest'
import { sickCrawl, type SickHost } from '../../../bench/control/breaker.ts'
import { pathSpider, run } from '../../../test/crawl/harness.ts'
import type { Answer } from '../../../test/crawl/scripted-web.ts'
import { retry } from '../src/index.ts'

const HOST = 'http://shop.test'
const MINUTE = 60_000
const ok = { body: 'ok' }

/** One page that answers like this, after another that is well. */
function page(answers: Answer | readonly Answer[], options = {}, plugins: readonly Plugin[] = []) {
  return run(
    { [`${HOST}/0`]: ok, [`${HOST}/1`]: answers },
    { spider: pathSpider([`${HOST}/0`, `${HOST}/1`]), plugins: [retry(options), ...plugins], patienceMs: 30 * 24 * 60 * MINUTE },
  )
}

const timesAsked = (asked: readonly string[]): number => asked.filter((line) => line.endsWith(' /1')).length

describe('a page', () => {
  it.each<[string, Answer | readonly Answer[], number, string]>([
    ['that is reset once', [{ fails: 'AVO_RESET' }, ok], 2, 'done'],
    ['that answers 502, 502, 200', [{ status: 502 }, { status: 502 }, ok], 3, 'done'],
    ['that answers 500 for ever', { status: 500 }, 2, 'http-500'],
    ['that is not there', { status: 404 }, 1, 'http-404'],
    ['that is forbidden', { status: 403 }, 1, 'http-403'],
    ['that is refused nine times', [...Array.from({ length: 9 }, () => ({ status: 429 })), ok], 10, 'done'],
    ['that is too large', { fails: 'AVO_BODY_TOO_LARGE' }, 1, 'body-too-large'],
    ['whose tab crashed once', [{ fails: 'AVO_BROWSER_PAGE' }, ok], 2, 'done'],
    ['that no browser can build', { fails: 'AVO_BROWSER_PAGE' }, 2, 'browser-page'],
    ['of another name in its certificate, for days', { fails: 'AVO_TLS_CERTIFICATE' }, 41, 'tls-certificate'],
  ])('%s', async (_what, answers, times, end) => {
    const { report, asked } = await page(answers)
    expect(timesAsked(asked)).toBe(times)
    expect(report.failures.map(({ reason }) => reason)).toEqual(end === 'done' ? [] : [end])
    expect(report.counts.waiting).toBe(0)
  })

  it('that is reset for ever is given up after some minutes, though it is the last one and looks like an outage', async () => {
    const { asked, report } = await page({ fails: 'AVO_RESET' })
    const lastAt = Number(/\d+/.exec(asked.at(-1) ?? '')?.[0])
    expect(report.failures).toEqual([{ reason: 'reset', count: 1 }])
    expect(timesAsked(asked)).toBeLessThanOrEqual(14)
    expect(lastAt).toBeGreaterThan(5 * MINUTE)
    expect(lastAt).toBeLessThan(15 * MINUTE)
  })

  it('is not asked again before the Retry-After of its answer, in full', async () => {
    const { asked } = await page([{ status: 502, headers: { 'retry-after': '7200' } }, ok])
    expect(asked.map((line) => Number(/\d+/.exec(line)?.[0])).at(-1)).toBeGreaterThanOrEqual(7_200_000)
  })

  it('whose handler throws is not fetched again', async () => {
    const spider = pathSpider([`${HOST}/1`], {
      handlers: {
        *start(page) {
          yield { path: page.url.pathname }
          throw new Error('no price')
        },
      },
    })
    const { asked } = await run({ [`${HOST}/1`]: ok }, { spider, plugins: [retry()] })
    expect(asked).toHaveLength(1)
  })
})

describe('a host that is down for five minutes loses no page', () => {
  const outage: Omit<SickHost, 'style' | 'plugins' | 'pages'> = {
    seed: 1,
    fromMs: 20_000,
    downMs: 5 * MINUTE,
    maxTimeMs: 24 * 60 * MINUTE,
  }
  it.each<[SickHost['style'], number]>([
    ['reset', 200],
    ['refuse', 200],
    ['hang', 200],
    ['blackhole', 200],
    ['truncate', 200],
    ['reset', 22],
    ['refuse', 22],
    ['dns-not-found', 200],
  ])('%s, %i pages: with a breaker and without', async (style, pages) => {
    const both = await sickCrawl({ ...outage, style, pages, plugins: [breaker(), retry()] })
    const alone = await sickCrawl({ ...outage, style, pages, plugins: [retry()] })
    expect(both).toMatchObject({ done: pages, failed: 0 })
    expect(both.asked.length).toBeLessThanOrEqual(alone.asked.length)
    expect(alone).toMatchObject({ done: pages, failed: 0 })
  })

  it('nor in two hundred short outages, though few pages are left to be tried', async () => {
    const plugins = [breaker(), retry()]
    const [up, down] = [3_000, 20_000]
    const outages = Array.from({ length: 200 }, (_, n) => ({ fromMs: n * (up + down) + up, untilMs: (n + 1) * (up + down) }))
    const { done, failed } = await sickCrawl({ ...outage, style: 'refuse', pages: 400, plugins, outages })
    expect({ done, failed }).toEqual({ done: 400, failed: 0 })
  })
})

describe('a host that cuts its pages short', () => {
  const cut: Answer = { fails: 'AVO_TRUNCATED' }
  const urls = [1, 2, 3].map((n) => `${HOST}/${n}`)
  const perPage = (asked: readonly string[]): number[] =>
    urls.map((url) => asked.filter((line) => line.endsWith(` ${new URL(url).pathname}`)).length)

  it.each<[string, readonly Answer[]]>([
    ['is asked for each of them four times, as it answers', []],
    ['is not down, though it was just before: each page has the attempts that are left', [{ fails: 'AVO_RESET' }]],
  ])('%s', async (_what, before) => {
    const script = Object.fromEntries(urls.map((url) => [url, [...before, cut]]))
    const { asked, report } = await run(
      { ...script, [`${HOST}/0`]: ok },
      {
        spider: pathSpider([`${HOST}/0`, ...urls]),
        plugins: [breaker(), retry()],
        patienceMs: 30 * 24 * 60 * MINUTE,
      },
    )

    expect(Math.max(...perPage(asked))).toBeLessThanOrEqual(5)
    expect(report.failures).toEqual([{ reason: 'truncated', count: 3 }])
  })
})

describe('a name that resolved before', () => {
  const renamed = { seed: 1, style: 'dns-not-found', pages: 60, fromMs: 20_000, maxTimeMs: 40 * 60 * MINUTE } as const
  const plugins = [breaker(), retry()]

  it('and does not for two minutes is asked again within five, and costs no page', async () => {
    const { foundAfterMs, done, failed, asked } = await sickCrawl({ ...renamed, downMs: 2 * MINUTE, plugins })
    expect({ done, failed }).toEqual({ done: 60, failed: 0 })
    expect(foundAfterMs).toBeLessThan(3 * MINUTE)
    expect(asked.length).toBeLessThanOrEqual(4)
  })

  it('and never again costs no page either: the host is given up after a day, and its pages wait', async () => {
    const { failed, retired, asked } = await sickCrawl({ ...renamed, downMs: Infinity, plugins })
    expect(failed).toBe(0)
    expect(retired).toBeGreaterThan(30)
    expect(asked.length).toBeLessThan(40)
  })
})
