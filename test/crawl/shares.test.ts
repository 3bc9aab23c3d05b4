// How two crawls on one store divide the work, on virtual time: hosts with an end, unequal ones too, and a process that comes later.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, link } from 'avocet'
import { sleepUntil } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { watch, wideSpider, wideWeb } from './links/wide-web.ts'

interface Shares {
  /** Pages of each process, as shares of all. */
  readonly of: readonly number[]
  readonly pages: number
  readonly endedAfterMs: number
}

/** Crawls of sixty hosts that begin at `starts` (ms), each with so many slots; a host answers after 40 ms, and has `pages` in all. */
async function shares(
  starts: readonly number[],
  pages: (host: number) => number,
  { delayMs, concurrency = 8 }: { readonly delayMs: number; readonly concurrency?: number },
): Promise<Shares> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-shares-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const hosts = Array.from({ length: 60 }, (_, n) => `h${n}.test`)
  const runs = starts.map(async (from) => {
    await sleepUntil(clock, startedAt + from)
    const site = wideSpider(hosts, {
      handlers: {
        *start({ url }) {
          const n = Number(url.pathname.slice(1))
          const last = pages(Number(url.hostname.slice(1, -'.test'.length)))
          if (n === 0) for (let next = 1; next < last; next++) yield link(`${url.origin}/${next}`)
        },
      },
    })
    const frontier = sqlite(join(folder, 'store.db'), { clock, synchronous: 'normal' })
    const fetcher = wideWeb(clock, () => ({ latencyMs: 40 }))
    const made = crawl({
      policies: [],
      spider: site,
      frontier,
      concurrency,
      hosts: { '*': { delayMs } },
      drainMs: 0,
      randomSeed: 'shares',
      clock,
      fetcher,
    })
    const watched = watch(made, clock)
    await made.run()
    return [...watched().settled.values()].flat().length
  })
  const each = await clock.run(Promise.all(runs))
  const sum = each.reduce((a, b) => a + b, 0)
  return { of: each.map((count) => count / sum), pages: sum, endedAfterMs: clock.now() - startedAt }
}

describe('the work of one store of sixty hosts', () => {
  it('goes by halves to two processes, also where hosts are fast, and the first has found them all', async () => {
    for (const concurrency of [8, 100]) {
      const { of, pages } = await shares([0, 100], () => 120, { delayMs: 0, concurrency })

      expect(pages).toBe(7_200)
      expect(Math.min(...of)).toBeGreaterThan(0.4)
    }
  })

  it('goes by halves where ten hosts have most of the pages', async () => {
    const { of, pages } = await shares([0, 100], (host) => (host % 6 === 0 ? 200 : 32), { delayMs: 0 })

    expect(pages).toBe(3_600)
    expect(Math.min(...of)).toBeGreaterThan(0.4)
  })

  it('goes to a third that comes after ten seconds of sixty', async () => {
    const { of, pages } = await shares([0, 0, 10_000], () => 60, { delayMs: 1_000 })

    expect(pages).toBe(3_600)
    // A third of five sixths.
    expect(of[2]).toBeGreaterThan(0.22)
    expect(of[2]).toBeLessThan(0.34)
  })

  it('takes a process alone no longer than its slots need', async () => {
    const { endedAfterMs } = await shares([0], () => 60, { delayMs: 0 })

    // 3,600 pages of 40 ms through eight slots.
    expect(endedAfterMs).toBeLessThan(1.05 * 18_000)
  })
})
