// When hosts were suspect: asked of the plugin, by what it left in the store, every twenty minutes of the crawl's time; in a file that survives the crawler.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { Plugin } from 'avocet'
import { sleepUntil, type Clock, type FrontierReader } from '@avocet/core/store'
import type { Span } from './notice.ts'

const EVERY_MS = 20 * 60_000

/** Who is asked, and where it is written down. */
export interface SuspectsGround {
  readonly path: string
  readonly clock: Clock
  readonly reader: FrontierReader
  readonly plugin: Plugin
  readonly until: number
}

/** Writes down who is suspect until `until`. */
export async function logSuspects({ path, clock, reader, plugin, until }: SuspectsGround): Promise<void> {
  for (let at = clock.now() + EVERY_MS; at < until; at += EVERY_MS) {
    await sleepUntil(clock, at)
    using _hold = clock.hold('suspects')
    const hosts = await reader.hosts({ parts: plugin.findings?.parts ?? [] })
    const suspect = hosts.flatMap((host) =>
      (plugin.findings?.broken?.(host, at) ?? []).map(({ why }) => `${at}\t${host.hostKey}\t${why}\n`),
    )
    if (suspect.length > 0) appendFileSync(path, suspect.join(''))
  }
}

/** A time in which a host was suspect, and why. */
export interface SuspectSpan extends Span {
  readonly why: string
}

/** Times by host. */
export function readSuspects(path: string): ReadonlyMap<string, readonly SuspectSpan[]> {
  const byHost = new Map<string, SuspectSpan[]>()
  for (const line of existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []) {
    const [time = '', host = '', why = ''] = line.split('\t')
    if (time === '') continue
    const at = Number(time)
    const spans = byHost.get(host) ?? []
    byHost.set(host, spans)
    const last = spans.at(-1)
    if (last !== undefined && at - last.untilMs <= EVERY_MS) spans[spans.length - 1] = { ...last, untilMs: at }
    else spans.push({ fromMs: at, untilMs: at, why })
  }
  return byHost
}
