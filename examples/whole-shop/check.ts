// Opens the shop, crawls it through the real command, kills it if so told, runs it again, and compares what it wrote with what the shop sells.
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import { expectedOf } from './site/goods.ts'
import { openShop } from './site/server.ts'

/** What came of it. */
export interface Checked {
  readonly found: number
  /** How many times the spider signed in, and was sent away before. */
  readonly signedIn: number
  readonly sentAway: number
  /** Processes that were killed. */
  readonly kills: number
  /** In words, at most four: items missing, unexpected or doubled, and what the command said when it failed. Empty when all is well. */
  readonly differences: readonly string[]
}

const COMMAND = join(import.meta.dirname, '../../packages/cli/bin/avocet.js')
/** The shop is ours. */
const HURRY = ['--rate', 'fixed', '--delay', '1ms', '--max-time', '40s']

/**
 * Crawls it. `killAt`: the command gets a SIGKILL while it waits for the answer to the request of this number, and is run again. `built` runs the
 * packages as they are published.
 */
export async function crawlWholeShop({ killAt, built = false }: { killAt?: number; built?: boolean } = {}): Promise<Checked> {
  const folder = await mkdtemp(join(tmpdir(), 'avocet-whole-shop-'))
  let kill = (): void => {}
  let kills = 0
  const shop = await openShop({ onRequest: (number) => number === killAt && kill() })
  const start = (): ReturnType<typeof spawn> => {
    const files = [`${import.meta.dirname}/spider.ts`, '--config', `${import.meta.dirname}/avocet.config.ts`]
    const words = [COMMAND, 'crawl', ...files, '-a', `site=${shop.origin}`, '-O', 'items.jsonl', ...HURRY]
    const conditions = built ? [] : ['--conditions=@avocet/source']
    return spawn(process.execPath, [...conditions, ...words], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  }
  try {
    let run = await ended(start(), (child) => (kill = () => void (child.kill('SIGKILL') && kills++)))
    if (run.signal === 'SIGKILL') run = await ended(start())
    const lines = (await readFile(join(folder, 'items.jsonl'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
    const found = lines.map((line) => JSON.parse(line) as unknown)
    const failed = run.exitCode === 0 ? [] : [run.said.trim().split('\n').slice(-3).join(' / ')]
    const { signedIn, sentAway } = shop.members
    const differences = [...differencesOf(found, expectedOf(shop.origin)), ...failed]
    return { found: found.length, signedIn, sentAway, kills, differences }
  } finally {
    await shop.close()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Ended {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly said: string
}

async function ended(
  child: ReturnType<typeof spawn>,
  begun: (child: ReturnType<typeof spawn>) => void = () => {},
): Promise<Ended> {
  begun(child)
  const over = new Promise<Pick<Ended, 'exitCode' | 'signal'>>((resolve) => {
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal }))
  })
  const said = child.stderr === null ? '' : await text(child.stderr)
  return { ...(await over), said }
}

/** Each item is there once, whatever the order of its keys, and nothing else is. */
function differencesOf(found: readonly unknown[], expected: readonly unknown[]): readonly string[] {
  const left = [...found]
  const missing = expected.filter((item) => {
    const n = left.findIndex((one) => isDeepStrictEqual(one, item))
    if (n !== -1) left.splice(n, 1)
    return n === -1
  })
  return [
    ...missing.slice(0, 2).map((item) => `missing: ${JSON.stringify(item)}`),
    ...left.slice(0, 2).map((item) => `unexpected: ${JSON.stringify(item)}`),
  ]
}
