// The live block as text: what it says at each width, and that it never exceeds the terminal, whatever a server chose to call itself.
import { describe, expect, it } from 'vitest'
import { columnsOf } from '../../../project/src/text/terminal.ts'
import { frame, roomFor, progressLine } from '../../src/view/frame.ts'
import type { CrawlStatus } from '@avocet/core/tools'
import { crawlStatus, hostStatus } from '../crawl/crawl-status.ts'
import { hostRow, scene } from './view-scene.ts'

const GLANCE = scene().glance
const NARROW = { columns: 80, rows: 24 }
const WIDE = { columns: 160, rows: 40 }

describe('the live block', () => {
  it('fits 80 columns', () => {
    expect(frame(scene(), NARROW)).toMatchInlineSnapshot(`
      [
        "price-watch running for 1 min 30 s",
        "known 2,400  done 1,204  waiting 1,180  failed 3  items 1,960  received 42 MiB",
        "rate 13.4 /s now, 11.2 /s average  in flight 9/100  hosts 12 at work, 3 later",
        "retries 12  left about 90 s",
        "failed in this run 2 http-404, 1 handler-threw",
        "trouble 31 refused (429), 6 connect-refused, 2 connect-refused of robots.txt",
        "2 hosts wait, the first for 48 s: dead.example:8080, breaker: open after connec…",
        "",
        "state       host                 found waiting held",
        "unreachable dead.example:8080        -     100 48 s breaker: open after connect…",
        "refusing    picky.example      0.25 /s   1,020 3.4 s aimd: asked to wait",
        "slow        hangs.example            -       0 its last answer took 65 s",
        "fine        fast.example        4.8 /s     400 aimd: spacing",
      ]
    `)
  })

  it('has more room for names and reasons at 160', () => {
    expect(frame(scene(), WIDE)).toMatchInlineSnapshot(`
      [
        "price-watch running for 1 min 30 s",
        "known 2,400  done 1,204  waiting 1,180  failed 3  items 1,960  received 42 MiB",
        "rate 13.4 /s now, 11.2 /s average  in flight 9/100  hosts 12 at work, 3 later  retries 12  left about 90 s",
        "failed in this run 2 http-404, 1 handler-threw",
        "trouble 31 refused (429), 6 connect-refused, 2 connect-refused of robots.txt",
        "2 hosts wait, the first for 48 s: dead.example:8080, breaker: open after connect-refused",
        "",
        "state       host                 found waiting held",
        "unreachable dead.example:8080        -     100 48 s breaker: open after connect-refused",
        "refusing    picky.example      0.25 /s   1,020 3.4 s aimd: asked to wait",
        "slow        hangs.example            -       0 its last answer took 65 s",
        "fine        fast.example        4.8 /s     400 aimd: spacing",
      ]
    `)
  })

  it('is totals only below 60 columns', () => {
    expect(frame(scene(), { columns: 59, rows: 24 })).toMatchInlineSnapshot(`
      [
        "price-watch running for 1 min 30 s",
        "known 2,400  done 1,204  waiting 1,180  failed 3",
        "items 1,960  received 42 MiB",
        "rate 13.4 /s now, 11.2 /s average  in flight 9/100",
        "hosts 12 at work, 3 later  retries 12  left about 90 s",
        "failed in this run 2 http-404, 1 handler-threw",
        "trouble 31 refused (429), 6 connect-refused, 2 connect-ref…",
        "2 hosts wait, the first for 48 s: dead.example:8080, break…",
      ]
    `)
    expect(roomFor({ columns: 59, rows: 24 })).toBe(0)
  })

  it('says at once who is waited for when the only host refuses connections', () => {
    const hold = { by: 'breaker', why: 'open after connect-refused', until: crawlStatus().now + 48_000 }
    const alone = scene({ heldHosts: 1, firstHeld: { hostKey: '127.0.0.1:8042', hold } })

    expect(frame(alone, NARROW)).toContain('1 host waits: 127.0.0.1:8042, breaker: open after connect-refused, 48 s')
    expect(progressLine(alone)).toMatch(/, 1 host waits: 127\.0\.0\.1:8042, breaker: open after connect-refused, 48 s$/)
  })

  it('says for what a crawl that was stopped still waits, and until when', () => {
    const { now } = crawlStatus()
    const busy = { slow: 12_000, quick: 300, hangs: 25_000, other: 1_000, fifth: 900 }
    const hosts = Object.entries(busy).map(([name, ms]) =>
      hostStatus({ hostKey: `${name}.example`, inFlight: 1, inFlightSince: now - ms }),
    )
    const draining = (changes: Partial<CrawlStatus>) =>
      scene({
        glance: { ...GLANCE, status: crawlStatus({ phase: 'draining', inFlight: 5, handlersRunning: 0, hosts, ...changes }) },
      })
    const hastened = draining({ drain: { until: now + 29_600, recallAt: now + 1_600 } })

    expect(frame(hastened, NARROW).slice(1, 3)).toEqual([
      'stopping: 5 requests in flight, gives up in 2 s; Ctrl-C again quits now',
      'in flight: hangs.example 25 s, slow.example 12 s, other.example 1 s, 2 more',
    ])
    const later = draining({
      drain: { until: now + 26_000, recallAt: now - 2_000 },
      handlersRunning: 2,
      inFlight: 0,
      hosts: [],
    })
    expect(frame(later, NARROW)[1]).toBe('stopping: 2 handlers running, gives up in 26 s; Ctrl-C again quits now')
    const byTime = draining({ drain: { until: now + 26_000 }, hosts: [], inFlight: 0 })
    expect(progressLine(byTime)).toContain(', stopping: writing what is done, gives up in 26 s')
    for (const columns of [40, 60, 80, 100, 120])
      for (const line of frame(hastened, { columns, rows: 24 })) expect(columnsOf(line)).toBeLessThanOrEqual(columns)
  })

  it('is not running while nothing goes on until the next round: it waits, and says until when', () => {
    const { now } = crawlStatus()
    const of = (changes: Partial<CrawlStatus>) =>
      scene({
        glance: { ...GLANCE, status: crawlStatus({ inFlight: 0, handlersRunning: 0, nextAt: now + 180_000, ...changes }) },
      })

    const rounds = [{ everyMs: 3_600_000, begunAt: now - 3_420_000, due: 90, visited: 80, late: 5 }]
    expect(frame(of({ rounds }), NARROW)[1]).toBe('round every 1 h: 90 visits due, 80 made, 10 not (5 pages late); next in 3 min')
    expect(frame(of({}), NARROW)[0]).toBe('price-watch waiting: next request in 3 min')
    expect(progressLine(of({}))).toContain(', waiting: next request in 3 min')
    expect(frame(of({ handlersRunning: 1 }), NARROW)[0]).toBe('price-watch running for 1 min 30 s')
    expect(frame(of({ nextAt: now + 1_000 }), NARROW)[0]).toBe('price-watch running for 1 min 30 s')
  })

  it('says of a crawl that is stopped or paused neither what is left, nor of one that is stopped what it would wait for', () => {
    const of = (changes: Partial<CrawlStatus>) =>
      scene({ glance: { ...GLANCE, status: crawlStatus({ inFlight: 1, ...changes }) } })
    const stopped = of({ phase: 'draining', drain: { until: crawlStatus().now + 29_600 } })

    expect(frame(stopped, WIDE).join('\n')).not.toMatch(/left|hosts wait/)
    expect(progressLine(stopped)).not.toContain('hosts wait')
    expect(frame(of({ phase: 'paused', pausedFor: 'standard output is slow' }), WIDE).join('\n')).not.toContain('left')
  })

  it('says of a paused crawl who paused it, and whether the next run is paused too', () => {
    const shown = (changes: Partial<CrawlStatus>) => {
      const paused = scene({ glance: { ...GLANCE, status: crawlStatus({ phase: 'paused', ...changes }) } })
      return [frame(paused, WIDE)[0], progressLine(paused)]
    }
    const byUser = 'paused: standard output is slow'
    const byOrder = 'paused: by an order, also in the next run; avocet resume continues it'

    const [title, line] = shown({ pausedFor: 'standard output is slow', pausedBy: 'user' })
    expect(title).toBe(`price-watch ${byUser}`)
    expect(line).toContain(byUser)
    const [ofOrder, lineOfOrder] = shown({ pausedFor: 'by an operator', pausedBy: 'operator' })
    expect(ofOrder).toBe(`price-watch ${byOrder}`)
    expect(lineOfOrder).toContain(byOrder)
  })

  it('counts the hosts that an operator has paused beside those at work and those that go on later', () => {
    const pausedHosts = { count: 2, first: [] }
    const paused = scene({ glance: { ...GLANCE, status: crawlStatus({ pausedHosts }) } })

    expect(frame(paused, WIDE).join('\n')).toMatch(/hosts \d+ at work, 3 later, 2 paused/)
    expect(progressLine(paused)).toContain(', 2 hosts paused by an operator')
  })

  it.each([
    [{ offered: 308_000, of: 1_000_000 }, '308,000 of 1,000,000 offered'],
    [{ offered: 28_000 }, '28,000 offered so far'],
  ])('says how many seeds were offered until all are: %s', (seeds, words) => {
    const seen = scene({ glance: { ...GLANCE, status: { ...GLANCE.status, seeds } } })

    expect(frame(seen, WIDE).join('\n')).toContain(`seeds ${words}  known`)
    expect(progressLine(seen)).toContain(`, seeds: ${words}, `)
    expect(frame(scene(), WIDE).join('\n')).not.toContain('seeds')
  })

  it('does not pretend to know the end', () => {
    const { restMs: _, ...glance } = GLANCE
    expect(frame(scene({ glance }), WIDE)[2]).toMatch(/ {2}left unknown$/)
  })

  it('leaves out what no plugin knows: rates of a crawl with a fixed delay', () => {
    const head = frame(scene({ rows: [hostRow({})] }), WIDE).at(-2)
    expect(head).not.toContain('found')
  })

  it('names the most frequent kinds of trouble, as far as they fit', () => {
    const troubles = Array.from({ length: 9 }, (_, n) => ({ kind: `some-kind-of-trouble-${n}`, count: 9 - n }))
    const line = frame(scene({ troubles }), NARROW).find((text) => text.startsWith('trouble'))
    expect(line).toBe('trouble 9 some-kind-of-trouble-0, 8 some-kind-of-trouble-1, 7 some-kind-of-trou…')
  })

  it('counts throws in plugins among the trouble', () => {
    const status = crawlStatus({ run: { ...crawlStatus().run, pluginErrors: 2 } })
    expect(frame(scene({ glance: { ...GLANCE, status }, troubles: [] }), NARROW)).toContain('trouble 2 plugin errors')
  })

  it.each([1, 10, 20, 40, 59, 60, 72, 79, 80, 81, 90, 100, 110, 120, 140, 150, 160, 300])(
    'stays within %d columns',
    (columns) => {
      const hold = { by: 'robots', why: 'y'.repeat(500), until: Infinity }
      const name = 'n'.repeat(100)
      const long = scene({
        glance: { ...GLANCE, status: crawlStatus({ name, known: 12_345_678 }) },
        firstHeld: { hostKey: name, hold: { ...hold, until: crawlStatus().now + 90_000 } },
        rows: [hostRow({ hostKey: `${'x'.repeat(200)}.example`, hold }), hostRow({ hostKey: '日本'.repeat(30) })],
        troubles: [{ kind: 'z'.repeat(300), count: 1 }],
      })
      expect(frame(long, { columns, rows: 40 }).filter((line) => columnsOf(line) > columns)).toEqual([])
    },
  )

  it.each([1, 5, 12, 24, 50])('leaves the last of %d rows to the cursor', (rows) => {
    const rowsOfHosts = Array.from({ length: roomFor({ columns: 60, rows }) }, (_, n) => hostRow({ hostKey: `${n}.example` }))
    expect(frame(scene({ rows: rowsOfHosts }), { columns: 60, rows }).length).toBeLessThanOrEqual(Math.max(1, rows - 1))
  })

  it('shows what would move the cursor', () => {
    const rows = [hostRow({ hostKey: 'a\u001b[2Jb', hold: { by: 'x', why: 'line\nbreak\u202e', until: Infinity } })]
    const troubles = [{ kind: '\u0007bell', count: 1 }]
    const glance = { ...GLANCE, status: crawlStatus({ pausedFor: '\u0007bell' }) }
    const text = frame(scene({ glance, rows, troubles }), WIDE).join('\n')
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e]/u)
    expect(text).toContain(String.raw`a\u{1b}[2Jb`)
    expect(text).toContain(String.raw`line\u{a}break\u{202e}`)
  })
})

describe('several processes of one command', () => {
  it('are counted', () => {
    expect(frame(scene({ processes: 2 }), { columns: 160, rows: 24 }).join('\n')).toContain('processes 2')
  })
})

describe('the line for logs', () => {
  it('says the same in one line', () => {
    const { firstHeld: _, ...rest } = scene()
    expect(progressLine(rest)).toBe('price-watch: 1,204 pages, 13.4 /s, 9 in flight, 1,180 waiting, 3 failed, about 90 s left')
  })
})
