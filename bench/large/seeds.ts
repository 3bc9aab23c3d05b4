// A million seeds: how soon the first request is sent, how soon a stop holds, and whether a kill loses one.
import { once } from 'node:events'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { begin, PORT, served, type Figures } from './avocet.ts'

const SPIDER = new URL('./spider.ts', import.meta.url).pathname

/** What became of a run. `firstMs`: from when the spider has its list, or is asked for it, to the first request. */
export interface SeedRun extends Figures {
  readonly firstMs: number
  /** From the signal, or the time that was given, to the end. */
  readonly endedMs: number
  readonly known: number
}

/** What is crawled, and how it ends: by a signal, after so many ms or once all are known; or by `--max-time`. */
export interface Wanted {
  readonly store: string
  readonly kind: 'array' | 'iterable' | 'async'
  readonly seeds: number
  readonly signal?: NodeJS.Signals
  readonly afterMs?: number
  readonly maxTimeMs?: number
}

/** Crawls them. */
export function seedRun(
  { store, kind, seeds, signal, maxTimeMs, afterMs = maxTimeMs }: Wanted,
  folder: string,
): Promise<SeedRun> {
  let [begunAt, firstMs] = [NaN, NaN]
  const answer: Parameters<typeof served>[0] = ({ url }, response) => {
    if (Number.isNaN(firstMs)) firstMs = performance.now() - begunAt
    response.writeHead(url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' }).end('<p>A page')
  }
  return served(answer, async () => {
    // Beside the packages that it is to find.
    copyFileSync(SPIDER, join(folder, 'spider.ts'))
    const words = ['crawl', 'spider.ts', '--store', store, ...(maxTimeMs === undefined ? [] : ['--max-time', `${maxTimeMs}ms`])]
    const env = { LARGE_KIND: kind, LARGE_COUNT: String(seeds), LARGE_PORT: String(PORT) }
    const { child, ended } = begin(words, folder, { env })
    await once(child, 'message')
    begunAt = performance.now()
    if (afterMs === undefined) while (knownIn(join(folder, store)) < seeds || Number.isNaN(firstMs)) await sleep(100)
    else await sleep(afterMs)
    const endedAt = performance.now()
    if (signal !== undefined) child.kill(signal)
    const figures = await ended
    return { ...figures, firstMs, endedMs: performance.now() - endedAt, known: knownIn(join(folder, store)) }
  })
}

function knownIn(path: string): number {
  const db = new Database(path, { readonly: true })
  try {
    return db.prepare<unknown[], number>('SELECT known FROM crawl').pluck().get() ?? 0
  } catch {
    return 0
  } finally {
    db.close()
  }
}
