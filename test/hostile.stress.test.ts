// A quick selection of the hostile behaviours, so that the table, its servers and its judgement stay in use; `npm run hostile` plays all of them.
import { crawl, memoryFrontier, type CrawlReport } from 'avocet'
import { systemClock } from '@avocet/core/store'
import { polite } from '@avocet/preset-polite'
import {
  HOSTILE_FLOODS,
  HOSTILE_ROWS,
  HostileWatch,
  meantHosts,
  missesOf,
  SECRET,
  startHostileWeb,
  type HostileAccount,
  type HostileSeen,
} from '@avocet/stress/hostile'
import { beforeAll, describe, expect, it } from 'vitest'

/** Those that end at once, of each kind. */
const QUICK = [
  'refuse',
  'keepalive-max-1',
  'close-at-once',
  'response-before-request',
  'banner-ssh',
  'h2-settings-flood',
  'two-answers-per-request',
  'tls-expired',
  'tls-wrong-name',
  'tls-plaintext',
  'header-endless',
  'header-17k',
  'interim-flood',
  'continue-unsolicited',
  'status-0',
  'obs-fold',
  'retry-after-huge',
  'body-announced-huge',
  'cl-double',
  'cl-long',
  'chunk-overflow',
  'trailer-flood',
  'range-unasked',
  'well-behaved',
  'gzip-gzip-bomb',
  'encodings-20',
  'gzip-two-members',
  'redirect-to-file',
  'redirect-counter',
  'redirect-body-endless',
  'robots-403',
  'robots-utf16',
  'robots-redirect-elsewhere',
  'inside-loopback',
  'inside-ipv4-mapped',
  'inside-nat64',
  'inside-by-base',
  'inside-by-robots',
  'inside-name-v4',
  'port-ssh',
  'dns-nxdomain',
  'dns-good',
  'charset-bom-wins',
  'href-schemes',
  'base-tricks',
  'csv-attack',
  'nest-scan',
  'ban-at-once',
  '404-for-ever',
  'same-pages-lie',
  'same-pages-field',
] as const

describe('the table of hostile behaviours', () => {
  const names = [...HOSTILE_ROWS, ...HOSTILE_FLOODS].map(({ name }) => name)

  it('has at least 180 that are played at once, and six floods', () => {
    expect(HOSTILE_ROWS.length).toBeGreaterThanOrEqual(180)
    expect(HOSTILE_FLOODS).toHaveLength(6)
  })

  it('names each of them once, as a host and a path can be named', () => {
    expect(names.filter((name, n) => names.indexOf(name) !== n)).toEqual([])
    expect(names.filter((name) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))).toEqual([])
  })

  it('says of each what its server does', () => {
    expect([...HOSTILE_ROWS, ...HOSTILE_FLOODS].filter(({ does }) => does === '')).toEqual([])
  })

  it('expects something of each', () => {
    expect([...HOSTILE_ROWS, ...HOSTILE_FLOODS].filter(({ expected }) => Object.keys(expected).length === 0)).toEqual([])
  })
})

describe('of a quick selection, all at once,', () => {
  const rows = HOSTILE_ROWS.filter(({ name }) => (QUICK as readonly string[]).includes(name))
  let report: CrawlReport
  let account: HostileAccount
  let seen: Readonly<Record<string, HostileSeen>>

  beforeAll(async () => {
    const web = await startHostileWeb(rows)
    const watch = new HostileWatch(web.plan, rows)
    const run = crawl({
      spider: watch.spider(),
      policies: polite(),
      frontier: memoryFrontier(),
      headers: { 'x-api-key': SECRET },
      nameServers: [web.plan.nameServer],
      hosts: meantHosts(web.plan),
      randomSeed: 'hostile',
      patienceMs: 2_000,
      maxTimeMs: 40_000,
      clock: systemClock({ scale: 4 }),
    })
    watch.watch(run)
    report = await run.run()
    account = web.account()
    seen = watch.seen
    await web.close()
  })

  it.each(rows.map((row) => [row.name, row.does, row] as const))('%s (%s) ends as it should', (name, _does, row) => {
    const felt = account.rows[name]
    const own = seen[name]
    if (felt === undefined || own === undefined) throw new Error(`${name} was not played`)

    expect(missesOf(row, { seen: own, felt, report: JSON.stringify(report) })).toEqual([])
  })

  it('none leads inside', () => {
    expect(account.canary).toBe(0)
  })

  it('every request is waiting or settled', () => {
    const { known, waiting, done, moved, failed } = report.counts
    expect(waiting + done + moved + failed).toBe(known)
    expect(report.error).toBeUndefined()
  })

  it('a row that does not hold is reported, with what was expected', () => {
    const [row] = HOSTILE_ROWS.filter(({ name }) => name === 'refuse')
    if (row === undefined) throw new Error('there is no row "refuse"')
    const felt = { connections: 3, requests: 3, forbidden: 0, leaked: 0 }
    const own = { ends: { AVO_RESET: 1 }, pages: { '/': 'A page' }, pageCount: 1, known: 0, failed: 0 }

    expect(missesOf(row, { seen: own, felt, report: '' })).toEqual([
      'ends as AVO_CONNECT_REFUSED, got AVO_RESET',
      'no page, got /',
      'requests: at most 0, got 3',
    ])
  })
})

describe('a row whose robots.txt is on another host', () => {
  it('is told why it could not be had there', async () => {
    const rows = HOSTILE_ROWS.filter(({ name }) => name === 'robots-redirect-dead' || name === 'refuse')
    const web = await startHostileWeb(rows)
    const watch = new HostileWatch(web.plan, rows)
    const run = crawl({
      spider: watch.spider(),
      policies: polite(),
      hosts: meantHosts(web.plan),
      frontier: memoryFrontier(),
      patienceMs: 1_000,
    })
    watch.watch(run)
    await run.run()
    await web.close()

    expect(watch.seen['robots-redirect-dead']?.ends).toHaveProperty('AVO_CONNECT_REFUSED')
  })
})
