// Watches changing shops on a rough web through the real command, kills it in the middle if so told, and compares the history of every price.
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { SiteModel } from '@avocet/simulator'
import { spawnRoughWeb } from '@avocet/stress/rough-web'
import { changingShops, histories, historiesOf, pricesIn, type HistoryEntry } from '../price-watch/test/world.ts'

/** How long to watch how much. */
export interface Watch {
  readonly shops: number
  /** What an hour is in the world: prices change, and pages are due again, so often. */
  readonly roundMs: number
  readonly lengthMs: number
  /** When the command gets a SIGKILL and is run again. Absent: never. */
  readonly killAtMs?: number
}

/** What came of it. */
export interface Watched {
  /** Products, and prices found. */
  readonly products: number
  readonly prices: number
  /** Rounds in which every product was looked at. */
  readonly rounds: number
  /** In words, at most three. */
  readonly differences: readonly string[]
}

const EXAMPLE = join(import.meta.dirname, '../price-watch')
const COMMAND = join(import.meta.dirname, '../../packages/cli/bin/avocet.js')
/** The hosts are ours. */
const HURRY = ['--rate', 'fixed', '--delay', '20ms']

/** Watches, and compares. */
export async function watchShops(watch: Watch): Promise<Watched> {
  const { shops, roundMs, lengthMs, killAtMs } = watch
  const folder = await mkdtemp(join(tmpdir(), 'avocet-watch-'))
  const web = await spawnRoughWeb(changingShops(shops, roundMs))
  const startedAt = performance.now()
  const elapsedMs = (): number => performance.now() - startedAt
  try {
    await writeFile(join(folder, 'shops.txt'), web.model.seeds().join('\n'))
    const said: string[] = []
    if (killAtMs !== undefined) await run({ watch, folder, killAfterMs: killAtMs })
    said.push(await run({ watch, folder, maxTimeMs: lengthMs - elapsedMs() }))
    const whole = Math.floor(elapsedMs() / roundMs) - 1
    const found = pricesIn(await readFile(join(folder, 'changes.jsonl'), 'utf8'))
    // A price that plugin-health holds may wait a round for another page that bears it out.
    const differences = compareHistories(found, web.model, { whole, roundMs, heldRounds: 1 })
    return {
      products: web.model.expected.products().length,
      prices: found.length,
      rounds: whole + 1,
      differences: [...differences.slice(0, 2), ...(differences.length > 0 ? said : [])],
    }
  } finally {
    await web.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runs the command to its end, and gives the end of what it said. */
async function run(how: { watch: Watch; folder: string; killAfterMs?: number; maxTimeMs?: number }): Promise<string> {
  const { watch, folder, killAfterMs, maxTimeMs } = how
  const limit = maxTimeMs === undefined ? [] : ['--max-time', `${String(Math.max(1, Math.round(maxTimeMs)))}ms`]
  const files = [`${EXAMPLE}/spider.ts`, '--config', `${EXAMPLE}/avocet.config.ts`, '--seeds', 'shops.txt']
  const words = [COMMAND, 'crawl', ...files, '--every', `${String(watch.roundMs)}ms`, ...HURRY, ...limit]
  const child = spawn(process.execPath, words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
  })
  const killer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  const said = await text(child.stderr)
  await ended
  clearTimeout(killer)
  return said.trim().split('\n').slice(-2).join(' / ')
}

/**
 * Of each product, from the first look at it on: every price must be there up to the end of the whole rounds, in its order and once. Of the round
 * that was under way at the end there may be some, and of `heldRounds` before it.
 */
export function compareHistories(
  found: readonly HistoryEntry[],
  model: SiteModel,
  { whole, roundMs, heldRounds = 0 }: { whole: number; roundMs: number; heldRounds?: number },
): readonly string[] {
  const prices = historiesOf(found)
  const least = histories(model, Math.max(1, whole - heldRounds), roundMs)
  return [...histories(model, whole + 1, roundMs)].flatMap(([url, most]) => {
    const here = prices.get(url) ?? []
    // A busy machine may not come to its first look at all of them within the first round.
    const from = here[0] === undefined ? 0 : most.indexOf(here[0])
    const isRight = from >= 0 && from + here.length >= (least.get(url)?.length ?? 0)
    return isRight && here.every((price, n) => price === most[from + n])
      ? []
      : [`${url}: expected ${most.join(', ')}, found ${here.join(', ') || 'nothing'}`]
  })
}
