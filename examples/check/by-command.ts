// Runs an example through the real command, in a folder of its own, against a rough web in another process, and compares what it wrote.
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { SiteModel } from '@avocet/simulator'
import { spawnRoughWeb } from '@avocet/stress/rough-web'

/** An example as it is checked. */
export interface Example {
  readonly world: SiteModel
  /** What stands behind `avocet crawl`, for a model under the origins at which it is served. */
  commandWords(model: SiteModel): readonly string[]
  /** Each item, with its keys in the spider's order. */
  expectedItems(model: SiteModel): readonly unknown[]
  /** Keys of items that no model knows, such as the moment at which a page was seen. */
  readonly ignored?: readonly string[]
  /** How it ends when all is well. Default 0. */
  readonly exitCode?: number
}

/** What came of it. */
export interface Commanded {
  readonly exitCode: number | null
  /** Items that it wrote. */
  readonly found: number
  /** In words, at most six: items missing or unexpected, and what the command said when it failed. Empty when all is as it should be. */
  readonly differences: readonly string[]
}

/** Politeness is not what is tried here, and the hosts are ours. */
const HURRY = ['--rate', 'fixed', '--delay', '1ms', '--patience', '5s', '--max-time', '25s']

const COMMAND = join(import.meta.dirname, '../../packages/cli/bin/avocet.js')

/** Crawls the example's world by the packages of the last build, and compares. */
export async function byCommand(example: Example): Promise<Commanded> {
  const folder = await mkdtemp(join(tmpdir(), 'avocet-example-'))
  const web = await spawnRoughWeb(example.world)
  try {
    const words = [COMMAND, 'crawl', ...example.commandWords(web.model), '-O', 'items.jsonl', ...HURRY]
    const child = spawn(process.execPath, words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
    const ended = new Promise<number | null>((resolve) => {
      child.once('close', resolve)
    })
    const said = await text(child.stderr)
    const exitCode = await ended
    const written = linesOf(await readFile(join(folder, 'items.jsonl'), 'utf8').catch(() => ''))
    const found = written.map((line) => without(line, example.ignored ?? []))
    const expected = example.expectedItems(web.model).map((item) => JSON.stringify(item))
    const differences = [
      ...leftOf(expected, found)
        .slice(0, 2)
        .map((line) => `missing: ${line}`),
      ...leftOf(found, expected)
        .slice(0, 2)
        .map((line) => `unexpected: ${line}`),
      ...(exitCode === (example.exitCode ?? 0) ? [] : said.trim().split('\n').slice(-2)),
    ]
    return { exitCode, found: found.length, differences }
  } finally {
    await web.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function linesOf(jsonLines: string): readonly string[] {
  return jsonLines.split('\n').filter((line) => line !== '')
}

function without(line: string, keys: readonly string[]): string {
  if (keys.length === 0) return line
  return JSON.stringify(JSON.parse(line), (key, value: unknown) => (keys.includes(key) ? undefined : value))
}

/** What is left of `all` when each of `taken` is taken out once: a doubled item shows. */
function leftOf(all: readonly string[], taken: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const line of taken) counts.set(line, (counts.get(line) ?? 0) + 1)
  return all.filter((line) => {
    const count = counts.get(line) ?? 0
    counts.set(line, count - 1)
    return count <= 0
  })
}
