// Bodies that a plugin has saved, and the records that its documents yield: an ordinary request, and nothing that the spider's items are counted with.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definePlugin, link, type Plugin } from '@avocet/core'
import { fixedDelay } from 'avocet'
import type { Failure } from '@avocet/core/plugin'
import { failure } from '@avocet/core/store'
import { delayFactor } from '@avocet/plugin-aimd'
import { hostYield } from '@avocet/plugin-journal'
import { openResponses, responseCache } from '@avocet/plugin-sqlite'
import { polite } from '@avocet/preset-polite'
import { WatchedSaver, type WatchedSaverOptions } from '@avocet/stress/fetcher'
import { describe, expect, it, onTestFinished } from 'vitest'
import { pathSpider, run } from '../harness.ts'
import { html, runs } from '../runs.ts'

const SITE = 'http://shop.test'
const PDF = { 'content-type': 'application/pdf', etag: '"1"' }
const HEX = /^[0-9a-f]{64}$/

interface Files {
  readonly plugin: Plugin
  readonly savers: WatchedSaver[]
}

/** Saves what `files/file` asks for, and yields a record of it. */
function files(
  { everyMs, ...options }: WatchedSaverOptions & { readonly everyMs?: number } = {},
  ends: (Failure | undefined)[] = [],
): Files {
  const savers: WatchedSaver[] = []
  const plugin = definePlugin({
    name: 'files',
    handlers: {
      file: {
        records: true,
        ...(everyMs !== undefined && { everyMs }),
        *handle({ response: { saved } }) {
          if (saved === undefined) throw new Error('not saved')
          yield { bytes: saved.bytes, sha256: saved.sha256 }
        },
      },
    },
    beforeRequest(outgoing) {
      if (outgoing.exchange.request.handler !== 'files/file') return
      const end = ends.shift()
      const saver = new WatchedSaver({ ...options, ...(end && { end }) })
      savers.push(saver)
      outgoing.save(saver)
    },
  })
  return { plugin, savers }
}

const shop = pathSpider([`${SITE}/`], {
  handlers: {
    *start(page) {
      yield { path: page.url.pathname }
      for (const { url } of page.links()) yield link(url, url.endsWith('.pdf') ? { handler: 'files/file' } : {})
    },
  },
})

const script = {
  [`${SITE}/`]: html('/a.pdf', '/b'),
  [`${SITE}/b`]: html('/a.pdf'),
  [`${SITE}/a.pdf`]: { headers: PDF, body: '%PDF-1.7' },
}

describe.each(['memory', 'sqlite'])('a file, in a store of %s', (kind) => {
  it('is requested once, saved, and a record beside the items, once over all runs', async () => {
    const { plugin, savers } = files()
    const [first, second] = await runs(kind, { script, spider: shop }, { plugins: [plugin] }, { plugins: [plugin] })

    expect(first?.asked.toSorted()).toEqual(['GET /', 'GET /a.pdf', 'GET /b'])
    expect(savers.map(({ calls }) => calls)).toEqual([['accepts', 'write', 'end']])
    expect(first?.ofDocuments).toEqual([
      {
        seq: 1,
        requestId: 2,
        url: `${SITE}/a.pdf`,
        ordinal: 0,
        json: expect.stringContaining('"bytes":8') as string,
      },
    ])
    expect(second?.asked).toEqual([])
    expect(second?.ofDocuments).toEqual(first?.ofDocuments)
  })

  it('is no item: not of the run, the store, the host or the sources', async () => {
    const { plugin } = files()
    const [only] = await runs(kind, { script, spider: shop }, { plugins: [plugin] })

    expect(only?.report).toMatchObject({ run: { items: 2 }, counts: { items: 2, done: 3 } })
    expect(only?.report.sources ?? []).toEqual([])
  })
})

describe('a file that is not there, or not what it was to be', () => {
  it('is no file where the spider accepts its status', async () => {
    const { plugin, savers } = files()
    const spider = { ...shop, accepts: () => true }
    const { report } = await run({ [`${SITE}/`]: html('/a.pdf') }, { spider, plugins: [plugin] })
    expect(report.failures).toEqual([{ reason: 'http-404', count: 1 }])
    expect(savers.map(({ calls }) => calls)).toEqual([[]])
  })

  it('waits where it is refused, before its saver is asked', async () => {
    const { plugin, savers } = files()
    const answers = [
      { status: 429, headers: { 'retry-after': '60' } },
      { headers: PDF, body: 'pdf' },
    ]
    const { report, asked } = await run(
      { ...script, [`${SITE}/b`]: {}, [`${SITE}/a.pdf`]: answers },
      { spider: shop, plugins: [plugin], policies: polite({ robots: false }) },
    )
    expect(report.counts).toMatchObject({ done: 3, failed: 0 })
    expect(asked.filter((each) => each.endsWith('.pdf'))).toHaveLength(2)
    expect(savers.map(({ calls }) => calls)).toEqual([[], ['accepts', 'write', 'end']])
  })

  it('is followed where it moved, and saved from there', async () => {
    const { plugin, savers } = files()
    const moved = {
      ...script,
      [`${SITE}/a.pdf`]: { status: 302, headers: { location: '/files/1.pdf' } },
      [`${SITE}/files/1.pdf`]: { headers: PDF, body: 'pdf' },
    }
    const { frontier } = await run(moved, { spider: shop, plugins: [plugin] })
    const records = await frontier.reader.items({ recordsOf: 'files/file' })
    expect(records.map(({ url }) => url)).toEqual([`${SITE}/files/1.pdf`])
    expect(savers.map(({ calls }) => calls)).toEqual([[], ['accepts', 'write', 'end']])
  })

  it('is settled where it is of another type: the fault of its URL, once', async () => {
    const { plugin, savers } = files({ accepts: () => failure('AVO_FILE_TYPE', 'expected application/pdf, got text/html') })
    const { report } = await run(script, { spider: shop, plugins: [plugin], policies: polite({ robots: false }) })
    expect(report.failures).toEqual([{ reason: 'file-type', count: 1 }])
    expect(savers).toHaveLength(1)
  })

  it('waits alone where the disk is full, uncounted, while the crawl goes on', async () => {
    const full = failure('AVO_FILE_UNWRITABLE', 'ENOSPC: no space left on device')
    const { plugin, savers } = files({}, [full, full, full])
    const { report, asked } = await run(script, { spider: shop, plugins: [plugin], policies: polite({ robots: false }) })
    const times = asked.filter((each) => each.endsWith('.pdf')).map((each) => Number.parseInt(each, 10))

    expect(report.counts).toMatchObject({ done: 3, failed: 0, waiting: 0 })
    expect(savers).toHaveLength(4)
    expect(report.problems.map(({ message }) => message)).toEqual([expect.stringContaining('bodies cannot be saved') as string])
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(3_000)
    expect((times[3] ?? 0) - (times[2] ?? 0)).toBeGreaterThan(14_000)
    expect(asked.findIndex((each) => each.endsWith('/b'))).toBeLessThan(3)
  })
})

describe('a file that takes long', () => {
  it('does not slow its host down: what it takes says nothing of pages', async () => {
    const hour = { headers: PDF, body: 'pdf', bodyMs: 3_600_000 }
    const { plugin } = files()
    const { asked } = await run({ ...script, [`${SITE}/a.pdf`]: hour }, { spider: shop, plugins: [plugin, fixedDelay()] })
    const [, second, third] = asked.map((each) => Number.parseInt(each, 10))
    expect((third ?? Infinity) - (second ?? 0)).toBeLessThan(3_610_000)
  })

  it('does not slow it down under a rate law that goes by durations', async () => {
    const hour = { headers: PDF, body: 'pdf', bodyMs: 3_600_000 }
    const { plugin } = files()
    const policies = polite({ rate: { law: delayFactor() }, robots: false })
    const { asked } = await run({ ...script, [`${SITE}/a.pdf`]: hour }, { spider: shop, plugins: [plugin], policies })
    const times = asked.map((each) => Number.parseInt(each, 10))
    expect(times).toHaveLength(3)
    expect((times[2] ?? 0) - (times[1] ?? 0)).toBeLessThan(3_610_000)
  })

  it('is aborted once by a stop', async () => {
    const hour = { headers: PDF, body: 'pdf', bodyMs: 3_600_000 }
    const { plugin, savers } = files()
    const { report } = await run(
      { ...script, [`${SITE}/a.pdf`]: hour },
      { spider: shop, plugins: [plugin], drainMs: 20_000 },
      (made, clock) => {
        clock.at(clock.now() + 60_000, () => made.stop({ recallMs: 2_000 }))
      },
    )
    expect(report.counts.waiting).toBeGreaterThanOrEqual(1)
    expect(savers.map(({ calls }) => calls)).toEqual([['accepts', 'abort']])
  })
})

describe('who may save', () => {
  it('is the plugin of a document, and nobody for a page of the spider', async () => {
    const thief = definePlugin({ name: 'thief', beforeRequest: (outgoing) => outgoing.save(new WatchedSaver()) })
    const { report } = await run({ [`${SITE}/`]: html() }, { spider: shop, plugins: [thief] })
    expect(report.failures).toEqual([{ reason: 'plugin-threw', count: 1 }])
    expect(report.problems.map(({ message }) => message).join()).toContain(
      'expected save() to be given a request of a document handler of a plugin',
    )
  })

  it('is one plugin: two contradict each other, in any order', async () => {
    const other = definePlugin({
      name: 'other',
      beforeRequest(outgoing) {
        if (outgoing.exchange.request.handler === 'files/file') outgoing.save(new WatchedSaver())
      },
    })
    for (const order of [(all: Plugin[]) => all, (all: Plugin[]) => all.toReversed()]) {
      const { plugin, savers } = files()
      const { report } = await run(script, { spider: shop, plugins: order([plugin, other]) })
      expect(report.failures).toEqual([{ reason: 'plugin-conflict', count: 1 }])
      expect(savers.map(({ calls }) => calls)).toEqual([[]])
    }
  })

  it('is not what keeps responses: of a file there is no body to keep', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'avocet-saved-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const path = join(folder, 'shop.cache')
    const { plugin } = files()
    await run(script, { spider: shop, plugins: [plugin, responseCache(path)] })
    const kept = await openResponses(path)

    const { count } = kept
    kept.close()
    expect(count).toBe(2)
  })

  it('costs its exchange where it throws, and nothing else', async () => {
    class Broken extends WatchedSaver {
      override write(): boolean {
        throw new TypeError('no such file')
      }
    }
    const plugin = definePlugin({
      name: 'files',
      handlers: { file: { records: true, *handle() {} } },
      beforeRequest(outgoing) {
        if (outgoing.exchange.request.handler === 'files/file') outgoing.save(new Broken())
      },
    })
    const { report } = await run(script, { spider: shop, plugins: [plugin] })
    expect(report.counts).toMatchObject({ done: 2, failed: 1 })
    expect(report.failures).toEqual([{ reason: 'plugin-threw', count: 1 }])
  })
})

describe('a file that is visited again', () => {
  it('sends its validators; 304 keeps its record, another body adds one of that visit', async () => {
    const changed = { headers: { ...PDF, etag: '"2"' }, body: '%PDF-2.0!' }
    const visits = [script[`${SITE}/a.pdf`] ?? {}, { status: 304, headers: { etag: '"1"' } }, changed]
    const { plugin, savers } = files({ everyMs: 3_600_000 })
    const site = { ...script, [`${SITE}/a.pdf`]: visits }
    const { frontier, seen } = await run(site, { spider: shop, plugins: [plugin] }, (made, clock) => {
      clock.at(clock.now() + 2.5 * 3_600_000, () => made.stop())
    })
    const records = await frontier.reader.items({ recordsOf: 'files/file' })

    expect(records.map(({ visit = 0, json }) => [visit, (JSON.parse(json) as { bytes: number }).bytes])).toEqual([
      [0, 8],
      [2, 9],
    ])
    expect(savers.map(({ calls }) => calls.length)).toEqual([3, 0, 3])
    expect(
      seen.filter(({ outbound }) => outbound.url.endsWith('.pdf')).map(({ outbound }) => outbound.headers['if-none-match']),
    ).toEqual([undefined, '"1"', '"1"'])
  })
})

describe('records', () => {
  it('pass neither the schema of the spider nor onItem, and are in no count of the host', async () => {
    const { plugin } = files()
    let seen = 0
    const watch = definePlugin({
      name: 'watch',
      onItem(item) {
        seen++
        return item
      },
    })
    const { frontier, items } = await run(script, { spider: shop, plugins: [plugin, watch] })
    const [host] = await frontier.reader.hosts({ hostKey: 'shop.test' })
    expect(seen).toBe(2)
    expect(items).toEqual([{ path: '/' }, { path: '/b' }])
    expect(hostYield(host?.memory ?? {}).map(({ handler, items: count }) => [handler, count])).toEqual([['start', 2]])
    expect(
      (await frontier.reader.items({ recordsOf: 'files/file' })).map(
        ({ json }) => (JSON.parse(json) as { sha256: string }).sha256,
      ),
    ).toEqual([expect.stringMatching(HEX) as string])
    expect(await frontier.reader.items({ recordsOf: 'other/file' })).toEqual([])
    expect((await frontier.reader.counts()).records).toBe(1)
  })

  it('make a document fail that does not say that it has any', async () => {
    const plugin = definePlugin({ name: 'files', handlers: { file: { handle: () => [{ an: 'item' }] } } })
    const { report } = await run(script, { spider: shop, plugins: [plugin] })
    expect(report.failures).toEqual([{ reason: 'handler-yield-invalid', count: 1 }])
  })
})
