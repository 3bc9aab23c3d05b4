// A chain: one crawl that is hit again and again, looked at after each hit, and run to its end at last. Then it must be what a crawl is that nothing befell.
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { live, type Ended, type Nurse } from './child.ts'
import { complaintsOf, dumpOf, faultsIn, inProgress, itemFaults } from './inspect.ts'
import type { Job, Shot, Work } from './job.ts'
import { BEGINNING } from './rules.ts'

/** What is done to one life. */
export interface Hit {
  readonly shots: readonly Shot[]
  /** The machine's clock was set back by two days before it. */
  readonly rewound?: boolean
}

/** What is done to one crawl. */
export interface Chain {
  readonly name: string
  readonly work: Work
  readonly hits: readonly Hit[]
  /** Processes are killed, not cut. */
  readonly kills: boolean
}

/** What came of a chain. */
export interface Outcome {
  readonly chain: Chain
  /** Hits that happened, each with what was wrong after it. */
  readonly hits: readonly { readonly shots: readonly Shot[]; readonly wrong: readonly string[] }[]
  /** What is wrong at the end. */
  readonly wrong: readonly string[]
  /** How often points were reached in all lives. */
  readonly reached: Readonly<Record<string, number>>
  readonly nameless: readonly string[]
}

/** What a crawl that nothing befell leaves, and how often it comes by each point. */
export interface Unharmed {
  readonly dump: readonly string[]
  readonly reached: Readonly<Record<string, number>>
  /** Its files, for works that begin with those of another. */
  readonly folder: string
}

/** The unharmed works, as far as they were made. */
export type Measure = ReadonlyMap<Work, Unharmed>

/** What a chain is run with. */
interface Around {
  readonly measure: Measure
  readonly nurse: Nurse
  readonly look?: (folder: string) => Promise<readonly string[]>
}

/** Works that begin with the files that another leaves. */
const BEGINS_WITH: Readonly<Partial<Record<Work, Work>>> = {
  asked: 'crawl',
  retry: 'crawl',
  rejects: 'crawl',
  index: 'many',
}
const TWO_DAYS_MS = 172_800_000
/** Deaths with the same page in progress, at most: the third makes it poison. */
const MOST_DEATHS = 2
/** Killed processes leave the page cache as it is, so no disk is needed: what is in memory is quicker. */
const ROOM = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** Runs `work` without any harm, in a folder that stays. */
export async function unharmed(work: Work, measure: Measure): Promise<Unharmed> {
  const folder = begun(work, measure)
  const ended = await live(jobOf(work, folder, { life: 'whole', startAt: BEGINNING, shots: [] }))
  const { trace } = ended
  if (trace === undefined || ended.code !== endOf(work)) throw new Error(`${work} failed without any harm: ${ended.stderr}`)
  if (trace.nameless.length > 0)
    throw new Error(`expected every write to be a point of points.ts, got ${trace.nameless.join(', ')}`)
  return { dump: dumpOf(folder, { visits: work !== 'asked' }), reached: trace.reached, folder }
}

/** Runs one chain; leaves its folder behind only if something is wrong. */
export async function run(chain: Chain, { measure, nurse, look }: Around): Promise<Outcome> {
  const { work, kills } = chain
  let folder = begun(work, measure)
  const folders = [folder]
  const hits: { shots: readonly Shot[]; wrong: readonly string[] }[] = []
  const reached: Record<string, number> = {}
  const nameless = new Set<string>()
  const deaths = new Map<number, number>()
  let startAt = BEGINNING
  let lives = 0
  const step = async (shots: readonly Shot[]): Promise<Ended> => {
    const life = String(lives++)
    const job = jobOf(work, folder, { life, startAt, shots })
    const cutTo = `${folders[0] ?? ''}-${life}`
    const ended = await (kills ? live(job) : nurse.live({ ...job, cutTo }))
    if (!kills && ended.signal === 'SIGKILL') folders.push((folder = cutTo))
    startAt = Math.max(ended.trace?.now ?? 0, startAt)
    for (const [point, times] of Object.entries(ended.trace?.reached ?? {})) reached[point] = (reached[point] ?? 0) + times
    for (const point of ended.trace?.nameless ?? []) nameless.add(point)
    return ended
  }
  let rewound = false
  for (const hit of chain.hits) {
    if (hit.rewound === true) startAt -= TWO_DAYS_MS
    rewound ||= hit.rewound === true
    const ended = await (work === 'share' ? besideAnother(step, hit.shots) : step(hit.shots))
    const fired = (ended.trace?.fired ?? 0) > 0
    const wrong = [...endFaults(work, ended, fired ? hit.shots : []), ...(await faultsIn(folder, { pages: paged(work) }))]
    if (fired && look) wrong.push(...(await look(folder)))
    if (fired) hits.push({ shots: hit.shots, wrong })
    else if (wrong.length > 0) hits.push({ shots: [], wrong })
    if (!fired || wrong.length > 0) break
    for (const id of inProgress(folder)) deaths.set(id, (deaths.get(id) ?? 0) + 1)
    if (Math.max(0, ...deaths.values()) >= MOST_DEATHS) break
  }
  const last = await step([])
  const wrong = [
    ...endFaults(work, last, []),
    ...(await faultsIn(folder, { pages: paged(work) })),
    ...(last.code === endOf(work) ? dumpFaults(folder, measure.get(work)?.dump ?? [], work) : []),
    ...(work === 'asked' ? itemFaults(folder) : []),
    ...(paged(work) ? complaintsOf(folder, { mostAsks: 3 * lives + 3, rewound: rewound || work === 'share' }) : []),
  ]
  const isRight = wrong.length === 0 && hits.every((hit) => hit.wrong.length === 0)
  for (const left of folders) if (isRight || left !== folder) rmSync(left, { recursive: true, force: true })
  if (!isRight) wrong.push(`see ${folder}`)
  return { chain, hits, wrong, reached, nameless: [...nameless] }
}

/** Two processes at once, of which one is hit. */
async function besideAnother(step: (shots: readonly Shot[]) => Promise<Ended>, shots: readonly Shot[]): Promise<Ended> {
  const [hit, other] = await Promise.all([step(shots), step([])])
  return other.code === 0
    ? hit
    : { ...hit, stderr: `the other process ended with ${String(other.code)}: ${other.stderr}`, code: 1 }
}

function jobOf(work: Work, folder: string, life: Pick<Job, 'life' | 'startAt' | 'shots'>): Job {
  return { work, folder, exports: work === 'crawl' || work === 'again' || work === 'asked', ...life }
}

/** A folder with what the work begins with. */
function begun(work: Work, measure: Measure): string {
  const folder = mkdtempSync(join(ROOM, `avocet-torture-${work}-`))
  const earlier = measure.get(BEGINS_WITH[work] ?? work)
  if (earlier !== undefined && BEGINS_WITH[work] !== undefined)
    for (const name of readdirSync(earlier.folder).filter((each) => each === 'store' || each.startsWith('items.')))
      cpSync(join(earlier.folder, name), join(folder, name), { recursive: true })
  return folder
}

function paged(work: Work): boolean {
  return work === 'crawl' || work === 'again' || work === 'asked' || work === 'share'
}

/** The exit code of a life that nothing hits. */
function endOf(work: Work): number {
  return work === 'again' ? 5 : 0
}

/** A life that was killed died; any other ended with a code that is documented for what befell it. */
function endFaults(work: Work, { code, signal, stderr }: Ended, shots: readonly Shot[]): string[] {
  if (shots.some(({ deed }) => deed === 'kill') && signal === 'SIGKILL') return []
  // A fault may come without the kill that was to come after it.
  const expected = new Set([endOf(work), 0, ...(shots.some(({ deed }) => deed !== 'kill') ? [7, 130] : [])])
  if (signal === null && code !== null && expected.has(code)) return []
  return [`expected the exit code ${[...expected].join(' or ')}, got ${String(signal ?? code)}: ${stderr.trim().slice(-600)}`]
}

function dumpFaults(folder: string, expected: readonly string[], work: Work): string[] {
  // Each life visits each page once more, and how many came that far is chance.
  const got = dumpOf(folder, { visits: work !== 'asked' })
  const [lost, more] = [expected.filter((line) => !got.includes(line)), got.filter((line) => !expected.includes(line))]
  const isOften = work === 'share' || work === 'asked'
  if (lost.length + more.length === 0 && (isOften || got.length === expected.length)) return []
  return [
    `lost ${JSON.stringify(lost.slice(0, 3))}, and has ${JSON.stringify(more.slice(0, 3))} (${String(got.length)} lines of ${String(expected.length)})`,
  ]
}
