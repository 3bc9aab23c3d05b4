// Hosts that were refused in the same instant, as behind one limiter, are not asked again in the same instant.
import { fixedDelay, unpaced, type CrawlConfig, type Plugin } from 'avocet'
import { aimd, textbook } from '@avocet/plugin-aimd'
import { breaker } from '@avocet/plugin-breaker'
import { retry } from '@avocet/plugin-retry'
import { robots } from '@avocet/plugin-robots'
import { polite } from '@avocet/preset-polite'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from './harness.ts'
import type { Answer } from './scripted-web.ts'

const HOSTS = Array.from({ length: 50 }, (_, n) => `http://shop-${String(n)}.test`)
const SAID: Answer['headers'] = { 'retry-after': '60' }
const QUOTA: Answer['headers'] = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60' }
const free: Plugin = { name: 'free', policy: 'rate' }

/** Ms from the last refusal to the next request, of each of the hosts, which refuse `times` times at `path`. */
async function waits(
  path: string,
  { times, ...answer }: Answer & { times: number },
  plugins: readonly Plugin[],
): Promise<number[]> {
  const answers = [...Array.from({ length: times }, () => ({ status: 429, ...answer })), { body: '' }]
  const script = Object.fromEntries(HOSTS.map((host) => [host + path, answers]))
  const config: CrawlConfig = { spider: pathSpider(HOSTS.map((host) => `${host}/a`)), plugins, concurrency: 100 }
  const { seen } = await run(script, { ...config, maxTimeMs: 36 * 3_600_000, patienceMs: Infinity })
  return HOSTS.map((host) => {
    const at = seen.filter(({ outbound }) => outbound.url === host + path).map((each) => each.at)
    return (at[times] ?? Infinity) - (at[times - 1] ?? 0)
  })
}

/** The largest share of `waits` within a stretch of 5 % of the shortest of them. */
function share(waitsMs: readonly number[]): number {
  const stretchMs = 0.05 * Math.min(...waitsMs)
  return Math.max(...waitsMs.map((from) => waitsMs.filter((ms) => ms >= from && ms < from + stretchMs).length)) / waitsMs.length
}

const LAWS: Readonly<Record<string, readonly Plugin[]>> = {
  'the law harm-budget': [aimd(), retry()],
  'the law aimd': [aimd({ law: textbook() }), retry()],
  'the default policies': polite(),
  'a fixed delay': [fixedDelay()],
  'no pace': [unpaced()],
  'the breaker': [free, breaker(), retry()],
  retries: [free, retry()],
}

describe('50 hosts that were refused together', () => {
  const forms = [
    { form: 'without a word', status: 429 },
    { form: 'with 503', status: 503 },
    { form: 'until a moment', status: 429, headers: SAID },
    { form: 'with a quota', status: 429, headers: QUOTA },
  ]
  const rows = Object.keys(LAWS).flatMap((law) => forms.flatMap((form) => [1, 2, 5].map((times) => ({ law, ...form, times }))))

  it.each(rows)(
    '$form, $times times, by $law, do not come back in the same 5 % of the wait',
    async ({ law, times, status, headers = {} }) => {
      expect(share(await waits('/a', { times, status, headers }, LAWS[law] ?? []))).toBeLessThan(0.75)
    },
  )

  it.each(forms.flatMap((form) => [1, 2, 5].map((times) => ({ ...form, times }))))(
    'for their robots.txt, $form, $times times, do not come back in the same 5 % of the wait',
    async ({ times, status, headers = {} }) => {
      expect(share(await waits('/robots.txt', { times, status, headers }, [free, robots()]))).toBeLessThan(0.75)
    },
  )
})

describe('300 shops on a platform that takes ten requests a second of all of them together', () => {
  it('are all read, also those whose robots.txt it refused, and most of what it is asked it serves', async () => {
    const clock = new VirtualClock()
    const platform = { tokens: 10, at: clock.now(), asked: 0, refused: 0 }
    const answer = (body: string): Answer => {
      platform.tokens = Math.min(10, platform.tokens + (clock.now() - platform.at) / 100)
      platform.at = clock.now()
      platform.asked++
      if (platform.tokens < 1) {
        platform.refused++
        return { status: 429 }
      }
      platform.tokens--
      return { body }
    }
    const shops = Array.from({ length: 300 }, (_, n) => `http://shop-${String(n)}.test`)
    const script: Record<string, Answer> = {}
    for (const shop of shops)
      for (const [path, body] of [['/robots.txt', ''], ...[1, 2, 3].map((page) => [`/${String(page)}`, 'ok'])])
        Object.defineProperty(script, shop + String(path), { get: () => answer(String(body)) })
    const seeds = shops.flatMap((shop) => [1, 2, 3].map((page) => `${shop}/${String(page)}`))
    const { report } = await run(script, {
      spider: pathSpider(seeds),
      plugins: polite(),
      clock,
      maxTimeMs: 36 * 3_600_000,
      patienceMs: 36 * 3_600_000,
      concurrency: 100,
    })

    expect(report).toMatchObject({ ended: 'done', counts: { done: 900, waiting: 0, failed: 0 }, retiredHosts: [] })
    expect(platform.refused / platform.asked).toBeLessThan(0.5)
    expect(report.endedAt - report.startedAt).toBeLessThan(30 * 60_000)
  })
})
