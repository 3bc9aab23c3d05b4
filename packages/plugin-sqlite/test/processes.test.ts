// Real processes on one file: killed at any moment, or several at once.
import { join } from 'node:path'
import { openReader } from '@avocet/plugin-sqlite'
import { seeded } from '@avocet/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { audit } from './audit.ts'
import { Crawler, type Line } from './child.ts'
import { temporaryFolder } from './stores.ts'

const PAGES = 1_500

function store(): string {
  const folder = temporaryFolder()
  onTestFinished(() => folder.dispose())
  return join(folder.path, 'store.db')
}

function crawler(path: string, hosts: number, work: 'crawl' | 'pair' | 'hold' = 'crawl'): Crawler {
  const started = new Crawler(path, { pages: PAGES, hosts, work })
  onTestFinished(() => {
    started.process.kill('SIGKILL')
  })
  return started
}

async function itemsOf(path: string): Promise<number[]> {
  const reader = await openReader(path)
  const items = await reader.items({ afterSeq: 0, limit: 10_000 })
  await reader.close()
  return items.map(({ json }) => Number(json)).sort((a, b) => a - b)
}

describe('a killed process', () => {
  it('leaves a sound store at every moment, and the next goes on at once to the same end', async () => {
    const path = store()
    const chance = seeded('kill -9')
    for (let kill = 0; kill < 6; kill++) {
      const run = crawler(path, 3)
      await run.said('committed', 1 + kill * 2)
      await new Promise((resolve) => setTimeout(resolve, chance(kill) * 30))
      run.process.kill('SIGKILL')
      await run.gone()
      expect(audit(path)).toEqual([])
    }
    const last = crawler(path, 7)
    await last.gone()
    expect(audit(path)).toEqual([])
    expect(await itemsOf(path)).toEqual(Array.from({ length: PAGES }, (_, index) => index + 1))
  })

  it('gives its hosts to a process that lives, without waiting', async () => {
    const path = store()
    const dying = crawler(path, 7, 'hold')
    await dying.said('held')
    const living = crawler(path, 7)
    await living.said('open')
    dying.process.kill('SIGKILL')
    await dying.gone()
    const killedAt = performance.timeOrigin + performance.now()
    await living.said('held')
    expect((living.lines.find(({ what }) => what === 'held')?.at ?? 0) - killedAt).toBeLessThan(1_000)
    await living.gone()
    expect(await itemsOf(path)).toHaveLength(PAGES)
  })
})

describe('two processes', () => {
  it('never hold one host at the same time, and do all of the work once', async () => {
    const path = store()
    const crawlers = [crawler(path, 3, 'pair'), crawler(path, 3, 'pair')]
    await Promise.all(crawlers.map((one) => one.gone()))
    const lines = crawlers.map((one) => one.lines)
    expect(overlaps(lines.flatMap(intervalsOf))).toEqual([])
    for (const said of lines) expect(said.filter(({ what }) => what === 'committed').length).toBeGreaterThan(0)
    expect(audit(path)).toEqual([])
    expect(await itemsOf(path)).toEqual(Array.from({ length: PAGES }, (_, index) => index + 1))
  })
})

interface Interval {
  readonly hostKey: string
  readonly epoch: number
  readonly from: number
  readonly until: number
}

/** When a process held which host, by its own account: from the answer to its lease until it was about to give it back. */
function intervalsOf(lines: readonly Line[]): Interval[] {
  const gave = new Map(lines.filter(({ what }) => what === 'gave').map((line) => [`${line.hostKey}/${line.epoch}`, line.at]))
  return lines
    .filter(({ what }) => what === 'held')
    .map(({ hostKey = '', epoch = 0, at }) => ({ hostKey, epoch, from: at, until: gave.get(`${hostKey}/${epoch}`) ?? Infinity }))
}

/** Pairs of holds of one host that share a moment or an epoch. */
function overlaps(intervals: readonly Interval[]): [Interval, Interval][] {
  const byEpoch = [...intervals].sort((a, b) => a.epoch - b.epoch)
  return byEpoch.flatMap((one, index): [Interval, Interval][] => {
    const next = byEpoch.slice(index + 1).find(({ hostKey }) => hostKey === one.hostKey)
    return next !== undefined && (next.epoch === one.epoch || next.from < one.until) ? [[one, next]] : []
  })
}
