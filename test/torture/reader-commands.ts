// Every command that reads a store, run on copies of one that a process has just left behind, and what is wrong with what they say.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { ReadStream, WriteStream } from 'node:tty'
import { AvocetError } from '@avocet/core'
import { CANONICALISATION } from '@avocet/core/store'
import Database from 'better-sqlite3'
import { exitCodeOfError } from '../../packages/cli/src/exit-code.ts'
import { readCommandLine } from '../../packages/cli/src/command-line/read-command-line.ts'
import { placeIn } from '../../packages/project/src/place/place.ts'

/** `{host}`, `{url}`: of the crawl that is tortured. */
const COMMANDS = [
  'status crawl.db --json',
  'hosts crawl.db --json',
  'why {host} --store crawl.db --json',
  'why {url} --store crawl.db',
  'report crawl.db --json',
  'report crawl.db --html report.html',
  'failed list crawl.db --json',
  'rejects crawl.db --json',
  'export crawl.db -O all.jsonl',
  'store verify crawl.db --json',
  'store backup crawl.db --to backup.db --json',
  'changes crawl.db --json',
  'check {url} --offline --store crawl.db',
]
const WORDS = { host: 'h0.test', url: 'http://h0.test/1' }

/** What is there to be said of a store. */
interface Told {
  readonly known: number
  readonly items: number
  readonly hosts: readonly string[]
  /** By which rules its URLs are told apart. */
  readonly canonicalisation: unknown
}

interface Said {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Opens the store in `folder/store` with each of the commands, and each finds it as the killed process left it. */
export async function lookWithCommands(folder: string): Promise<readonly string[]> {
  const source = join(folder, 'store')
  if (!existsSync(join(source, 'crawl.db'))) return []
  const place = mkdtempSync(join(tmpdir(), 'avocet-torture-look-'))
  try {
    const told = toldBy(copied(source, join(place, 'told')))
    const wrong: string[] = []
    for (const [n, command] of COMMANDS.entries()) {
      const here = copied(source, join(place, String(n)))
      const words = command.replace('{host}', WORDS.host).replace('{url}', WORDS.url).split(' ')
      const said = await run(words, here)
      const why = told === undefined ? blankProblem(words, said) : problem(words, said, { told, here })
      if (why !== undefined)
        wrong.push(`avocet ${words.join(' ')}: ${why}; it ended with ${String(said.code)}: ${said.stdout}${said.stderr}`)
    }
    return wrong
  } finally {
    rmSync(place, { recursive: true })
  }
}

/** The first reader makes up what a kill left half done, so each has a copy of its own. */
function copied(from: string, to: string): string {
  mkdirSync(to)
  cpSync(from, to, { recursive: true })
  return to
}

/** Undefined of a store whose process died before it had made it. */
function toldBy(folder: string): Told | undefined {
  if (statSync(join(folder, 'crawl.db')).size === 0) return undefined
  const db = new Database(join(folder, 'crawl.db'))
  try {
    if (db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0) return undefined
    const one = (sql: string): number => Number(db.prepare(sql).pluck().get())
    const hosts = db.prepare('SELECT key FROM host').pluck().all() as string[]
    const canonicalisation = db.prepare('SELECT canonicalisation FROM crawl').pluck().get() ?? CANONICALISATION
    return {
      canonicalisation,
      known: one('SELECT count(*) FROM request'),
      items: one('SELECT count(*) FROM item'),
      hosts,
    }
  } finally {
    db.close()
  }
}

async function run(words: readonly string[], folder: string): Promise<Said> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const said = Promise.all([text(stdout), text(stderr)])
  const place = {
    ...placeIn(process, words),
    stdin: stdin as unknown as ReadStream,
    stdout: stdout as unknown as WriteStream,
    stderr: stderr as unknown as WriteStream,
    folder,
    paint: (_tone: string, line: string) => line,
  }
  let code: number
  try {
    code = await (await readCommandLine(words, place)).run(place)
  } catch (error) {
    stderr.write(String(error))
    code = error instanceof AvocetError ? exitCodeOfError(error.code) : 1
  }
  stdout.end()
  stderr.end()
  const [out, err] = await said
  return { code, stdout: out, stderr: err }
}

function problem(
  [command, ...words]: readonly string[],
  { code, stdout }: Said,
  { told, here }: { told: Told; here: string },
): string | undefined {
  // A crawl would refuse it too.
  if (command === 'check' && told.canonicalisation !== CANONICALISATION)
    return code === 4 && stdout.includes('start over with --fresh') ? undefined : 'expected it to be refused'
  // What is not known yet cannot be explained.
  const mayFail = command === 'why' && !told.hosts.includes(WORDS.host)
  if (code !== 0 && !(mayFail && code === 2)) return 'expected to be told'
  if (mayFail) return undefined
  const json = words.includes('--json') ? (JSON.parse(stdout) as Readonly<Record<string, unknown>>) : {}
  const counts = (json['counts'] ?? json['totals'] ?? {}) as Readonly<Record<string, unknown>>
  if (command === 'status' && words.includes('--json') && counts['known'] !== told.known)
    return `expected ${String(told.known)} URLs`
  if (words[0] === 'backup' && (json['known'] !== told.known || json['items'] !== told.items))
    return 'expected all of it to be copied'
  if (words[0] === 'verify' && json['sound'] !== true) return 'expected it to be sound'
  if (words.includes('all.jsonl')) {
    const lines = readFileSync(join(here, 'all.jsonl'), 'utf8').split('\n').length - 1
    if (lines !== told.items) return `expected ${String(told.items)} items, got ${String(lines)}`
  }
  return undefined
}

/** One that is not made yet is an error with a code, for a command that needs it. */
function blankProblem([command = '']: readonly string[], { code, stderr }: Said): string | undefined {
  if (command === 'check') return code === 0 || code === 4 || code === 7 ? undefined : 'expected it not to matter'
  return code === 7 && stderr.includes('crawl first') ? undefined : 'expected to be told that it is empty, and what to do'
}
