// Every write of the command to disk is a fail point: at each a process is killed here once, what it leaves is read by every command, and its crawl ends as
// one that nothing befell. `npm run torture` does the same thousands of times, with failing system calls.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { pointOfStatement } from '../../bench/torture/statement-point.ts'
import { POINTS } from '../../bench/torture/points.ts'
import { torture, type Tortured } from '../../bench/torture/torture.ts'
import { lookWithCommands } from './reader-commands.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Packages that write: the store, and the outputs. */
const WRITING = ['packages/plugin-sqlite/src', 'packages/cli/src/export', 'packages/sink-files/src']
/** What works on tables that are no part of a file. */
const OF_COPIES: ReadonlySet<string> = new Set(['delete item', 'delete known', 'delete temp', 'insert temp'])
/** Made in the transaction of 'insert handler_error', in a crawl with more kinds of errors than the torture has pages. */
const OF_A_HUNDRED_KINDS: ReadonlySet<string> = new Set([
  'delete handler_error',
  'update handler_error.seen_at',
  'update trouble.error',
])
/** What bench/torture/file-door.ts stands in front of, and what only reads. */
const WATCHED = ['openSync', 'rmSync', 'mkdirSync', 'writeSync', 'closeSync', 'open', 'rm', 'writeFile', 'link', 'rename']
const READING = [
  // The folder of an output: empty, whoever is killed after it.
  'mkdir',
  'lstat',
  'readdir',
  'readlink',
  'statfsSync',
  'constants',
  'existsSync',
  'fstatSync',
  'readFile',
  'realpath',
  'readFileSync',
  'readSync',
  'readlinkSync',
  'stat',
  'statSync',
  'FileHandle',
]

/** Every how-many-eth store is opened with every command: `npm run torture` inspects them all, and a kill leaves one of few kinds of stores. */
const LOOK_EACH = 5

let tortured: Tortured
let left = 0
const unreadable: string[] = []

beforeAll(async () => {
  tortured = await torture({
    hits: 0,
    seed: 'test',
    parallel: 2,
    covering: { killEach: 16, both: false },
    async look(folder) {
      if (left++ % LOOK_EACH > 0) return []
      const wrong = await lookWithCommands(folder)
      unreadable.push(...wrong)
      return []
    },
  })
}, 600_000)

describe('a process that is killed at a fail point', () => {
  it('leaves a sound store, and its crawl ends as an undisturbed one', () => {
    const wrong = tortured.outcomes.filter(
      ({ wrong: atTheEnd, hits }) => atTheEnd.length > 0 || hits.some((hit) => hit.wrong.length > 0),
    )
    expect(wrong).toEqual([])
  })

  it('leaves a store that every command opens which reads one, and tells of as it is', () => {
    expect(unreadable).toEqual([])
  })

  it('was killed at each of the named points, which are more than fifty', () => {
    expect(Object.keys(POINTS).length).toBeGreaterThan(50)
    expect(tortured.missed).toEqual([])
  })
})

describe('a fault', () => {
  it('of the lock beside an output, or of the file of pages in progress, does not make a finished crawl a failure', () => {
    const found = tortured.outcomes
      .filter(({ chain }) => chain.name.startsWith('fault at'))
      .toSorted((a, b) => (a.chain.name < b.chain.name ? -1 : 1))
    expect(found.map(({ chain, hits, wrong }) => [chain.name, hits.length, hits.flatMap((hit) => hit.wrong), wrong])).toEqual([
      ['fault at in-progress remove', 1, [], []],
      ['fault at lock remove', 1, [], []],
    ])
  })
})

describe('a write without a fail point', () => {
  it('is noticed when it is made', () => {
    expect(tortured.nameless).toEqual([])
  })

  it('is noticed in the sources: every statement that writes has its name in the table', () => {
    const names = sources().flatMap(({ path, text }) =>
      [...text.matchAll(/[`'"]((?:INSERT|UPDATE|DELETE|CREATE|ALTER)\s[^`'"]*)/g)].flatMap(([, sql = '']) => {
        // Names that are put in at run time are noticed there.
        const name = sql.includes('${') ? undefined : pointOfStatement(sql)
        return name === undefined || OF_COPIES.has(name) || OF_A_HUNDRED_KINDS.has(name) || Object.hasOwn(POINTS, name)
          ? []
          : [`${path}: ${name}`]
      }),
    )
    expect(names).toEqual([])
  })

  it('is noticed in the sources: every call of the file system either reads or is watched', () => {
    const calls = sources().flatMap(({ path, text }) =>
      [...text.matchAll(/import (?:type )?\{([^}]*)\} from 'node:fs(?:\/promises)?'/g)].flatMap(([, list = '']) =>
        list
          .split(',')
          .map((name) => name.replace('type ', '').trim())
          .filter((name) => !WATCHED.includes(name) && !READING.includes(name) && name !== 'Stats')
          .map((name) => `${path}: ${name}`),
      ),
    )
    expect(calls).toEqual([])
  })
})

function sources(): { readonly path: string; readonly text: string }[] {
  return WRITING.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      // A backup writes a file of its own, which gets its name when it is whole: what is killed on the way has made no store. A cache of responses
      // may be lost.
      .filter((name) => name.endsWith('.ts') && !/^(?:cache|upkeep)/.test(name))
      .map((name) => ({ path: join(folder, name), text: readFileSync(join(ROOT, folder, name), 'utf8') })),
  )
}
