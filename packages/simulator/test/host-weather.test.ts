// Times of trouble of hosts that live: pages that are missing, moves, closures, shops that open later, and a portal before all hosts.
import type { Response } from '@avocet/core'
import type { Failure } from '@avocet/core/plugin'
import { DEFAULTS } from '@avocet/core/store'
import { simulatedWeb, siteModel, VirtualClock, type ModelSpec, type SiteModel } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'

const LIST = { kind: 'list', pages: 3 } as const

/** What `url` answers at each of `atMs`. */
async function asked(spec: Omit<ModelSpec, 'seed'>, url: string, ...atMs: readonly number[]): Promise<(Response | Failure)[]> {
  const clock = new VirtualClock({ startAt: 0 })
  const web = simulatedWeb(siteModel({ seed: 'weather', ...spec }), { clock })
  const answers: (Response | Failure)[] = []
  for (const ms of atMs) {
    await clock.advanceTo(ms)
    await clock.run(
      new Promise<void>((resolve) => {
        const take = (answer: Response | Failure): void => {
          answers.push(answer)
          resolve()
        }
        const receiver = { sent: () => {}, headers: () => 'read' as const, done: take, failed: take }
        web.fetch({ url, method: 'GET', headers: {}, limits: DEFAULTS.timeLimits, privateAllowed: true }, receiver)
      }),
    )
  }
  return answers
}

function statuses(answers: readonly (Response | Failure)[]): (number | string)[] {
  return answers.map((answer) => ('status' in answer ? answer.status : answer.code))
}

describe('pages that are missing', () => {
  const host = { name: 'a.test', pages: LIST, robots: { body: 'User-agent: *' } }

  it('are 404 from their moment to its end, and robots.txt is not among them', async () => {
    const hosts = [{ ...host, missing: [{ fromMs: 1_000, untilMs: 2_000 }] }]

    expect(statuses(await asked({ hosts }, 'http://a.test/item/1', 0, 1_500, 2_500))).toEqual([200, 404, 200])
    expect(statuses(await asked({ hosts }, 'http://a.test/robots.txt', 1_500))).toEqual([200])
  })

  it('may be 410, of some paths only, for good', async () => {
    const hosts = [{ ...host, missing: [{ fromMs: 1_000, status: 410 as const, under: '/item/2' }] }]

    expect(statuses(await asked({ hosts }, 'http://a.test/item/1', 5_000))).toEqual([200])
    expect(statuses(await asked({ hosts }, 'http://a.test/item/2', 0, 5_000, 1e9))).toEqual([200, 410, 410])
  })
})

describe('a host that moves', () => {
  it('sends each page to the same path of the other host', async () => {
    const hosts = [
      { name: 'a.test', pages: LIST, moves: [{ fromMs: 1_000, to: 'b.test' }] },
      { name: 'b.test', pages: LIST },
    ]

    const [before, after] = await asked({ hosts }, 'http://a.test/item/3', 0, 1_000)

    expect(before).toMatchObject({ status: 200 })
    expect(after).toMatchObject({ status: 301, headers: { location: 'http://b.test/item/3' } })
  })

  it('to a page of its own has that page while the move lasts', async () => {
    const hosts = [
      { name: 'a.test', pages: LIST, moves: [{ fromMs: 1_000, untilMs: 2_000, to: '/maintenance', status: 302 as const }] },
    ]

    const [during, after] = await asked({ hosts }, 'http://a.test/item/3', 1_500, 2_000)

    expect(during).toMatchObject({ status: 302, headers: { location: '/maintenance' } })
    expect(after).toMatchObject({ status: 200 })
    expect(statuses(await asked({ hosts }, 'http://a.test/maintenance', 0, 1_500, 2_500))).toEqual([404, 200, 404])
  })
})

describe('a closed host', () => {
  it('refuses everything, and names the end of it in seconds or as a date', async () => {
    const fromMs = 1_000
    const hosts = [
      { name: 'a.test', pages: LIST, closures: [{ fromMs, untilMs: 90_001_000 }] },
      {
        name: 'b.test',
        pages: LIST,
        closures: [{ fromMs, untilMs: 90_001_000, status: 429 as const, retryAfter: 'date' as const }],
      },
    ]

    const [a] = await asked({ hosts }, 'http://a.test/item/1', 1_000)
    const [b] = await asked({ hosts }, 'http://b.test/robots.txt', 1_000)

    expect(a).toMatchObject({ status: 503, headers: { 'retry-after': '90000' } })
    expect(b).toMatchObject({ status: 429, headers: { 'retry-after': 'Fri, 02 Jan 1970 01:00:01 GMT' } })
    expect(statuses(await asked({ hosts }, 'http://a.test/item/1', 90_001_000))).toEqual([200])
  })

  it('feels who comes before that', async () => {
    const hosts = [{ name: 'a.test', pages: LIST, closures: [{ fromMs: 0, untilMs: 60_000 }] }]
    const clock = new VirtualClock({ startAt: 0 })
    const web = simulatedWeb(siteModel({ seed: 'weather', hosts }), { clock })
    const receiver = { sent: () => {}, headers: () => 'read' as const, done: () => {}, failed: () => {} }
    const ask = { url: 'http://a.test/item/1', method: 'GET', headers: {}, limits: DEFAULTS.timeLimits, privateAllowed: true }

    for (const ms of [1_000, 30_000, 61_000]) {
      await clock.advanceTo(ms)
      web.fetch(ask, receiver)
    }
    await clock.advance(1_000)

    expect(web.felt('a.test')).toMatchObject({ requests: 3, served: 1, refused: 2, duringRetryAfter: 1 })
  })
})

describe('a directory', () => {
  it('lists the shops that have opened', () => {
    const pages = { kind: 'directory', lists: [{ host: 'b.test' }, { host: 'c.test', fromMs: 5_000 }] } as const
    const model: SiteModel = siteModel({ seed: 'a', hosts: [{ name: 'a.test', pages }] })
    const at = (ms: number): string => new TextDecoder().decode(model.page('a.test', '/', ms)?.body)

    expect(at(0)).toContain('href="http://b.test/"')
    expect(at(4_999)).not.toContain('c.test')
    expect(at(5_000)).toContain('href="http://c.test/"')
    expect(model.page('a.test', '/other', 0)).toBeUndefined()
  })
})

describe('a captive portal', () => {
  it('has another certificate than every host with https, until it is over', async () => {
    const hosts = [{ name: 'a.test', pages: LIST }]
    const spec = { hosts, clientOutages: [{ style: 'certificate', fromMs: 1_000, untilMs: 2_000 }] } as const

    expect(statuses(await asked(spec, 'https://a.test/item/1', 0, 1_500, 2_500))).toEqual([200, 'AVO_TLS_CERTIFICATE', 200])
    expect(statuses(await asked(spec, 'http://a.test/item/1', 1_500))).toEqual([200])
  })
})
