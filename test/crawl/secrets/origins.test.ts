// Trouble that is an origin's does not stop its host: whole crawls on virtual time with the policies that could.
import type { Plugin } from '@avocet/core'
import { breaker } from '@avocet/plugin-breaker'
import { retry } from '@avocet/plugin-retry'
import { polite } from '@avocet/preset-polite'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from '../harness.ts'

const MINUTE = 60_000
const PATIENCE = 7 * 24 * 60 * MINUTE

describe('a wrong certificate at https://shop.test', () => {
  const HOUR = 60 * MINUTE
  const http = Array.from({ length: 30 }, (_, n) => `http://shop.test/plain-${n}`)
  const https = Array.from({ length: 30 }, (_, n) => `https://shop.test/secure-${n}`)
  const mixed = http.flatMap((url, n) => [url, https[n] ?? url])
  const wrong = Object.fromEntries(https.map((url) => [url, { fails: 'AVO_TLS_CERTIFICATE' } as const]))
  const script = { ...Object.fromEntries(http.map((url) => [url, { body: 'ok' }])), ...wrong }
  const secure = (asked: readonly string[]): number => asked.filter((line) => line.includes('/secure-')).length

  it.each<[string, readonly string[], () => readonly Plugin[]]>([
    ['beside breaker and retry, pages of both in turn', mixed, () => [breaker(), retry()]],
    ['when its pages come first', [...https, ...http], () => [breaker(), retry()]],
    ['with all policies', mixed, () => polite()],
  ])('does not stop http://shop.test: %s', async (_what, seeds, plugins) => {
    const { report, asked } = await run(
      {
        ...script,
        'http://shop.test/robots.txt': { status: 404 },
        'https://shop.test/robots.txt': { fails: 'AVO_TLS_CERTIFICATE' },
      },
      { spider: pathSpider(seeds), plugins: plugins(), patienceMs: PATIENCE, maxTimeMs: 10 * HOUR },
    )

    expect(report.counts).toMatchObject({ done: 30, failed: 0, retiredHosts: 0, waiting: 30 })
    const plainAt = asked.filter((line) => line.includes('/plain-')).map((line) => Number(/\d+/.exec(line)?.[0]))
    expect(Math.max(...plainAt)).toBeLessThan(3 * MINUTE)
    // After 5, 10, 20 minutes and so on, and then once an hour, with what is booked beside the probe.
    expect(secure(asked)).toBeLessThanOrEqual(16)
  })

  it('costs no page: they are served when it is renewed, soon if it is soon and within the hour if it takes hours', async () => {
    const renewedAfter = async (failures: number): Promise<{ done: number; at: number }> => {
      let left = failures
      const failing: Record<string, object> = {}
      for (const url of https)
        failing[url] = [...Array.from({ length: left-- > 0 ? 1 : 0 }, () => ({ fails: 'AVO_TLS_CERTIFICATE' })), { body: 'ok' }]
      const { report, asked } = await run(
        { ...script, ...failing },
        { spider: pathSpider(mixed), plugins: [breaker(), retry()], patienceMs: PATIENCE },
      )
      return { done: report.counts.done, at: Number(/\d+/.exec(asked.at(-1) ?? '')?.[0]) }
    }

    expect(await renewedAfter(1)).toMatchObject({ done: 60 })
    expect((await renewedAfter(1)).at).toBeLessThan(15 * MINUTE)
    expect(await renewedAfter(4)).toMatchObject({ done: 60 })
  })

  it('of which no other origin ever answered holds the host, and after a day the host is given up with its pages', async () => {
    const [first = '', ...rest] = https
    const { report, asked } = await run(
      { ...wrong, [first]: { body: 'ok' } },
      { spider: pathSpider([first, ...rest]), plugins: [breaker(), retry()], patienceMs: PATIENCE, maxTimeMs: 40 * HOUR },
    )

    expect(report.counts).toMatchObject({ done: 1, failed: 0 })
    expect(report.retiredHosts).toMatchObject([{ waiting: 29 }])
    expect(report.retiredHosts[0]?.reason).toContain('https://shop.test: given up after tls-certificate')
    expect(asked.length).toBeLessThan(35)
  })

  it('or a port 443 at which nobody ever listened, does not stop http://shop.test', async () => {
    const refused = Object.fromEntries(https.map((url) => [url, { fails: 'AVO_CONNECT_REFUSED' } as const]))
    const { report, asked } = await run(
      { ...script, ...refused },
      { spider: pathSpider(mixed), plugins: [breaker(), retry()], patienceMs: PATIENCE, maxTimeMs: 10 * HOUR },
    )

    expect(report.counts).toMatchObject({ done: 30, failed: 0, retiredHosts: 0, waiting: 30 })
    expect(secure(asked)).toBeLessThanOrEqual(24)
  })
})
