// Hosts that say how much they give, hosts that lie about it, and hosts that shut the door: whole crawls on virtual time.
import { definePlugin, type Json, type Plugin } from '@avocet/core'
import type { Frontier } from '@avocet/core/store'
import { atRest } from '@avocet/at-rest'
import { aimd, fixedRate, harmBudget, textbook } from '@avocet/plugin-aimd'
import { describe, expect, it } from 'vitest'
import { pathSpider, run, type Ran } from '../../../test/crawl/harness.ts'
import type { Answer } from '../../../test/crawl/scripted-web.ts'

const HOST = 'http://shop.test'
const MINUTE_MS = 60_000

/** Pages /1 to /n as `answer` says. */
function site(n: number, answer: (page: number) => Answer | readonly Answer[]): Record<string, Answer | readonly Answer[]> {
  return Object.fromEntries(Array.from({ length: n }, (_, i) => [`${HOST}/${i + 1}`, answer(i + 1)]))
}

/** Puts refused pages back, uncounted, as plugin-retry would. */
const patient: Plugin = definePlugin({
  name: 'patient',
  onResponse(answer) {
    if (answer.response.status === 429) answer.retry(answer.now, 'http-429', { counted: false })
  },
})

const crawled = (script: Record<string, Answer | readonly Answer[]>, plugin: Plugin): Promise<Ran> =>
  run(script, { spider: pathSpider(Object.keys(script)), plugins: [plugin, patient], patienceMs: 86_400_000 })

const times = ({ asked }: Ran): number[] => asked.map((line) => Number(line.split(' ')[0]))
const gaps = (ran: Ran): number[] => times(ran).map((at, n, all) => at - (all[n - 1] ?? 0))

async function known(frontier: Frontier, plugin: Plugin, now = 0): Promise<Readonly<Record<string, Json>>> {
  const [record] = await frontier.reader.hosts({ hostKey: 'shop.test' })
  if (record === undefined) throw new Error('the host is not known')
  return (await atRest(frontier.reader)).explain(record, { plugins: [plugin], now }).values[plugin.name] ?? {}
}

const quick = (): Plugin => aimd({ law: fixedRate({ rps: 10 }) })
const page = (headers: Readonly<Record<string, string>>): Answer => ({
  body: 'ok',
  headers: { 'content-type': 'text/html', ...headers },
})

describe('a host that declares a quota', () => {
  it('is asked so that it lasts', async () => {
    const ran = await crawled(
      site(6, () => page({ ratelimit: '"a";r=19;t=9' })),
      quick(),
    )

    // 19 left and none in flight, 9 s to go: 0.95 * 19 / 9 = 2.006 a second.
    expect(
      gaps(ran)
        .slice(1)
        .every((gap) => gap >= 498 && gap <= 500),
    ).toBe(true)
  })

  it('is left alone when it is used up', async () => {
    const left = (remaining: number): Answer => page({ 'x-ratelimit-remaining': String(remaining), 'x-ratelimit-reset': '60' })
    const ran = await crawled(
      site(4, (n) => (n === 2 ? left(0) : { body: 'ok' })),
      quick(),
    )
    const [, , third = 0] = gaps(ran)

    expect(third).toBeGreaterThanOrEqual(60_010)
    expect(third).toBeLessThan(66_020)
  })

  it('has its say also on how many at once', async () => {
    const slow = { ...page({ 'ratelimit-policy': '"c";q=3;qu="concurrent-requests"' }), afterMs: 5_000 }
    const ran = await crawled(
      site(6, () => slow),
      quick(),
    )

    // 0.9 of 3: two at once.
    expect(times(ran)).toEqual([0, 5_000, 5_100, 10_000, 10_100, 15_000])
  })

  it('is never asked faster than without, whatever it declares', async () => {
    const ran = await crawled(
      site(5, () => page({ ratelimit: '"a";r=1000000;t=1' })),
      quick(),
    )

    expect(times(ran)).toEqual([0, 100, 200, 300, 400])
  })

  it('is not believed for ten minutes when it refuses what it declared', async () => {
    const liar: Answer = { status: 429, headers: { ratelimit: '"a";r=1;t=20' } }
    const plugin = quick()
    const ran = await crawled(
      site(8, (n) => (n === 2 ? [liar, { body: 'ok' }] : page({ ratelimit: '"a";r=1;t=20' }))),
      plugin,
    )

    // Believed, each page after the first would wait for 21 s.
    expect(Math.max(...gaps(ran).slice(3))).toBeLessThan(1_000)
  })

  it('may send nonsense: it is ignored and counted', async () => {
    const plugin = quick()
    const ran = await crawled(
      site(5, () => page({ ratelimit: '"a";r=;;', 'x-ratelimit-remaining': 'NaN', 'x-ratelimit-reset': '-1' })),
      plugin,
    )

    expect(times(ran)).toEqual([0, 100, 200, 300, 400])
    expect(await known(ran.frontier, plugin)).toMatchObject({ ignoredFields: 15 })
  })

  it('does not make the law believe that the host bears more than was tried', async () => {
    const plugin = aimd({ law: harmBudget() })
    const ran = await crawled(
      site(60, () => page({ ratelimit: '"a";r=10;t=19' })),
      plugin,
    )

    expect((await known(ran.frontier, plugin))['foundRps']).toBeLessThanOrEqual(1)
  })
})

describe('a host that blocks us', () => {
  const wall = (from: number, to = Infinity): Record<string, Answer> =>
    site(50, (n) => (n >= from && n < to ? { status: 403 } : { body: 'ok' })) as Record<string, Answer>
  /** Pauses of more than a minute, in minutes, without the tenth that chance may add. */
  const pauses = (ran: Ran): number[] =>
    gaps(ran)
      .filter((gap) => gap > MINUTE_MS)
      .map(
        (gap) => [360, 270, 90, 30, 10].find((minutes) => minutes * MINUTE_MS <= gap && gap < 1.11 * minutes * MINUTE_MS) ?? gap,
      )

  it('is left alone for ten minutes after ten forbidden pages in a row, then for longer and longer', async () => {
    const plugin = aimd({ law: textbook() })
    const ran = await crawled(wall(16, 31), plugin)
    const first = gaps(ran).findIndex((gap) => gap > MINUTE_MS)

    // Pages 16 to 25 are forbidden; 26 to 30 find the wall standing, one after each pause; then it is gone.
    expect(first).toBe(25)
    expect(pauses(ran)).toEqual([10, 30, 90, 270, 360, 360].slice(0, 6))
    expect(await known(ran.frontier, plugin)).toMatchObject({ bans: 1 })
  })

  it('was open before, or else it is merely closed', async () => {
    const ran = await crawled(wall(1), aimd({ law: textbook() }))

    expect(pauses(ran)).toEqual([])
  })

  it.each([3, 2])('has more than a few pages that are not for us: here each of %i', async (each) => {
    const ran = await crawled(
      site(50, (n) => (n % each === 0 ? { status: 403 } : { body: 'ok' })),
      aimd({ law: textbook() }),
    )

    expect(pauses(ran)).toEqual([])
  })

  it('is asked at half the rate from its second forbidden page on', async () => {
    const plugin = aimd({ law: textbook(), startRps: 4 })
    const ran = await crawled(wall(16, 26), plugin)
    const after = gaps(ran).findIndex((gap) => gap > MINUTE_MS)

    expect(gaps(ran)[15]).toBeLessThanOrEqual(250)
    expect(gaps(ran)[after - 1]).toBeGreaterThan(450)
    expect(gaps(ran)[after + 1]).toBeGreaterThan(450)
  })

  it('may do it with pages that look well: those that the user recognises', async () => {
    const captcha: Answer = { body: '<h1>Are you human?</h1>' }
    const blocked = (seen: { text(): string }): boolean => seen.text().includes('Are you human?')
    const script = site(40, (n) => (n > 15 && n < 27 ? captcha : { body: 'ok' }))
    const blind = await crawled(script, aimd({ law: textbook() }))
    const seeing = await crawled(script, aimd({ law: textbook(), blocked }))

    expect(pauses(blind)).toEqual([])
    expect(pauses(seeing)).toEqual([10, 30])
  })

  it('takes nine such pages in a row for a coincidence', async () => {
    const captcha: Answer = { body: '<h1>Are you human?</h1>' }
    const blocked = (seen: { text(): string }): boolean => seen.text().includes('Are you human?')
    const nine = site(40, (n) => (n > 15 && n < 25 ? captcha : { body: 'ok' }))

    expect(pauses(await crawled(nine, aimd({ law: textbook(), blocked })))).toEqual([])
  })
})
