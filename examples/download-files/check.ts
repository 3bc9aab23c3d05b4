// Opens the site, crawls it through the real command, kills it in the middle of a file if so told, and compares files and rows with what is on the site.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { FILES, openSite } from './site.ts'
import type { Tea } from './spider.ts'

/** What came of it. */
export interface CheckedFiles {
  readonly items: number
  readonly files: number
  readonly rows: number
  /** Processes that were killed. */
  readonly kills: number
  /** First byte of each request for the large file. */
  readonly resumedAt: readonly number[]
  /** In words, at most four. Empty when all is well. */
  readonly differences: readonly string[]
}

const COMMAND = join(import.meta.dirname, '../../packages/cli/bin/avocet.js')
/** The site is ours. */
const HURRY = ['--rate', 'fixed', '--delay', '1ms', '--max-time', '60s']

interface Row {
  readonly ref: string
  readonly path: string
  readonly sha256: string
  readonly url: string
}

/** Crawls it. `killAt`: the command gets a SIGKILL when so many bytes of the large file were sent. */
export async function crawlFiles({ killAt }: { readonly killAt?: number } = {}): Promise<CheckedFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'avocet-download-files-'))
  let kill = (): void => {}
  let kills = 0
  const site = await openSite({ onSent: (bytes) => killAt !== undefined && kills === 0 && bytes >= killAt && kill() })
  const run = async (...words: readonly string[]): Promise<string> => {
    const child = spawn(process.execPath, [COMMAND, ...words], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    kill = () => void (child.kill('SIGKILL') && kills++)
    const [said] = await Promise.all([text(child.stdout), text(child.stderr)])
    return said
  }
  const files = [`${import.meta.dirname}/spider.ts`, '--config', `${import.meta.dirname}/avocet.config.ts`]
  const crawl = (): Promise<string> => run('crawl', ...files, '-a', `site=${site.origin}`, '-O', 'items.jsonl', ...HURRY)
  try {
    await crawl()
    if (kills > 0) await crawl()
    const listed = await run('export', '--files')
    const rows = listed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row)
    const lines = (await readFile(join(folder, 'items.jsonl'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
    const items = lines.map((line) => JSON.parse(line) as Tea)
    const saved = await savedIn(join(folder, 'downloads'))
    return {
      items: items.length,
      files: saved.size,
      rows: rows.length,
      kills,
      resumedAt: site.ranges.map((range) => Number(/\d+/.exec(range)?.[0] ?? 0)),
      differences: [...differencesOf(saved), ...wrongReferences(items, rows, saved), ...wrongRows(rows, site.origin)].slice(0, 4),
    }
  } finally {
    await site.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** SHA-256 of what is in each file, by its path. */
async function savedIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const saved = new Map<string, string>()
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name)
    saved.set(path.slice(folder.length + 1), shaOf(await readFile(path)))
  }
  return saved
}

/** Each file of the site is there once, by its content, and nothing else is: no part, no double. */
function differencesOf(saved: ReadonlyMap<string, string>): readonly string[] {
  const expected = new Set([...FILES.values()].map(({ body }) => shaOf(body)))
  const found = [...saved.values()]
  const missing = [...expected].filter((sha256) => !found.includes(sha256))
  const others = [...saved].filter(([, sha256], n) => !expected.has(sha256) || found.indexOf(sha256) !== n)
  return [...missing.map((sha256) => `missing: ${sha256}`), ...others.map(([path]) => `unexpected: ${path}`)]
}

/** Each reference of an item leads to a row, and that to the file that the tea has. */
function wrongReferences(items: readonly Tea[], rows: readonly Row[], saved: ReadonlyMap<string, string>): readonly string[] {
  return items
    .flatMap(({ photo, manual }) => [photo, manual])
    .filter((ref) => !rows.some((row) => row.ref === ref && saved.get(row.path) === row.sha256))
    .map((ref) => `no file: ${ref}`)
}

/** Each URL has one row, with the hash of what it serves. */
function wrongRows(rows: readonly Row[], origin: string): readonly string[] {
  return [...FILES].flatMap(([path, { body }]) => {
    const found = rows.filter(({ url }) => url === `${origin}${path}`).map(({ sha256 }) => sha256)
    return found.length === 1 && found[0] === shaOf(body) ? [] : [`rows of ${path}: ${found.join(', ')}`]
  })
}

function shaOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex')
}
