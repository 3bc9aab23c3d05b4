// What a plugin that looks on beside a crawl gets when it opens: time, status, the store, and a turn that is its alone.
import { crawl, definePlugin, memoryFrontier } from 'avocet'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scriptedWeb } from './scripted-web.ts'
import { pathSpider, run } from './harness.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const site = { 'http://a.test/': { body: 'page' } }

describe('the session of a plugin', () => {
  it('wakes it, and shows status and store, while the crawl waits for the next visit', async () => {
    const clock = new VirtualClock()
    const seen: unknown[] = []
    const looks = definePlugin({
      name: 'looks',
      open(session) {
        session.clock.at(session.now + HOUR_MS / 2, () => {
          const { phase, done } = session.status()
          void session.reader.counts().then(({ known }) => seen.push({ phase, done, known }))
        })
      },
    })

    await run(site, {
      ...{ spider: pathSpider(['http://a.test/']), clock, plugins: [looks] },
      ...{ recrawl: [{ everyMs: HOUR_MS }], maxTimeMs: HOUR_MS - 1 },
    })

    expect(seen).toEqual([{ phase: 'running', done: 1, known: 1 }])
  })

  it('writes what it remembers of the crawl although no page is committed', async () => {
    const clock = new VirtualClock()
    const frontier = memoryFrontier()
    let written: unknown
    const remembers = definePlugin({
      name: 'remembers',
      crawlMemory: () => ({ told: 0 }),
      open({ clock, now, save, reader }, memory) {
        clock.at(now + HOUR_MS / 2, () => {
          memory.told = 1
          void save().then(async () => (written = (await reader.info()).memories.map((parts) => parts['remembers'])))
        })
      },
    })

    await run(site, {
      ...{ spider: pathSpider(['http://a.test/']), clock, frontier, plugins: [remembers] },
      ...{ recrawl: [{ everyMs: HOUR_MS }], maxTimeMs: HOUR_MS - 1 },
    })

    expect(written).toEqual(['[1,{"told":1}]'])
  })

  it('lets one of two processes do what both would, and the other one once that is gone', async () => {
    const clock = new VirtualClock()
    const folder = mkdtempSync(join(tmpdir(), 'session-'))
    const turns: string[] = []
    const lives = ['one', 'other'].map((name, n) => ({ name, minutes: n + 1, frontier: sqlite(join(folder, 'shared.db')) }))
    const claiming = (who: string): ReturnType<typeof definePlugin> =>
      definePlugin({
        name: 'claims',
        open({ clock, now, claim }) {
          for (const minute of who === 'one' ? [0.5] : [0.5, 1.5])
            clock.at(
              now + minute * MINUTE_MS,
              () => void claim('turn').then((isOurs) => isOurs && turns.push(`${who} at ${minute}`)),
            )
        },
      })

    await clock.run(() =>
      Promise.all(
        lives.map(({ name, minutes, frontier }) =>
          crawl({
            ...{ spider: pathSpider(['http://a.test/']), clock, frontier, plugins: [claiming(name)], policies: [] },
            ...{ recrawl: [{ everyMs: MINUTE_MS }], maxTimeMs: minutes * MINUTE_MS, fetcher: scriptedWeb(clock, site) },
          })
            .run()
            .finally(() => void frontier.close()),
        ),
      ),
    )
    rmSync(folder, { recursive: true })

    expect(turns).toEqual(['one at 0.5', 'other at 1.5'])
  })
})
