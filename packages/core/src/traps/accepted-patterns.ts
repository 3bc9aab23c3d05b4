// Patterns that the user opened again: a part of the crawl's memory, written by `acceptPatterns` and taken over by the next run.
import type { CrawlInfo } from '../crawl-info.ts'
import type { Frontier } from '../frontier.ts'
import { AvocetError } from '../errors.ts'
import { shown } from '../shown.ts'

/** Name of the part. */
const PART = 'core:accepted'
const VERSION = 1
/** Patterns of one crawl. */
const MAX_ACCEPTED = 1_000
const BATCH = 10_000
/** Reason of requests that wait for their pattern to be opened. */
export const TRAP_REASON = 'trap'

/** The part, as it is at rest. */
interface Accepted {
  readonly patterns: readonly string[]
  /** Those whose requests a run has had wait again. */
  readonly opened: readonly string[]
}

/** The patterns that are open for good, as `closedPatterns` of the report names them. */
export function acceptedPatterns(crawlMemories: CrawlInfo['crawlMemories']): ReadonlySet<string> {
  return new Set(joined(crawlMemories).patterns)
}

/** Where a scheme ends: behind the host `://` is a part of the path, as in `/go/http://…`. */
const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i

/** Throws AVO_USAGE for the first that is no pattern, and when there are too many. */
export function assertPatterns(patterns: readonly string[]): void {
  const wrong = patterns.find((pattern) => SCHEME.test(pattern) || !/^[^\s/]+(?:\/\S*)$|^\*\.[^\s/]+$/.test(pattern))
  if (wrong !== undefined)
    throw new AvocetError(
      'AVO_USAGE',
      `expected a pattern such as shop.example/cal?d=* or *.shop.example, got ${shown(wrong)}; the report names those that are closed`,
    )
  assertFew(patterns.length)
}

/**
 * Opens patterns again, from the next run on; one that goes on at this moment keeps them closed. Links that were refused come again when a page
 * that has them is visited again; requests that waited when the pattern was closed wait again.
 *
 * @throws AvocetError AVO_USAGE for what is no pattern, or when there are too many.
 */
export async function acceptPatterns(
  frontier: Pick<Frontier, 'note'>,
  { crawlMemories }: Pick<CrawlInfo, 'crawlMemories'>,
  patterns: readonly string[],
): Promise<void> {
  assertPatterns(patterns)
  const { patterns: known, opened } = joined(crawlMemories)
  const all = [...new Set([...known, ...patterns])]
  assertFew(all.length)
  // Opened once more: what was closed meanwhile waits again, too.
  await write(frontier, { patterns: all, opened: opened.filter((pattern) => !patterns.includes(pattern)) })
}

/**
 * Takes back what was accepted: from the next run on such a pattern is judged like any other. Only while no other process has the store open, for it would
 * write again what it knows.
 */
export async function forgetPatterns(
  frontier: Pick<Frontier, 'note'>,
  { crawlMemories }: Pick<CrawlInfo, 'crawlMemories'>,
  patterns: readonly string[],
): Promise<void> {
  const without = (some: readonly string[]): readonly string[] => some.filter((pattern) => !patterns.includes(pattern))
  const known = joined(crawlMemories)
  await write(frontier, { patterns: without(known.patterns), opened: without(known.opened) })
}

/** At the start of a run: has the requests wait again that were refused under patterns that are open now. Returns how many. */
export async function reopenAccepted(
  frontier: Pick<Frontier, 'note' | 'reopen'>,
  { crawlMemories }: Pick<CrawlInfo, 'crawlMemories'>,
): Promise<number> {
  const { patterns, opened } = joined(crawlMemories)
  const known = new Set(opened)
  if (patterns.every((pattern) => known.has(pattern))) return 0
  let count = 0
  // By reason alone: those of patterns that are still closed are refused again when their turn comes.
  for (let some = BATCH; some === BATCH; count += some) some = await frontier.reopen({ reasons: [TRAP_REASON], limit: BATCH })
  await write(frontier, { patterns, opened: patterns })
  return count
}

function assertFew(count: number): void {
  if (count > MAX_ACCEPTED)
    throw new AvocetError(
      'AVO_USAGE',
      `expected at most ${MAX_ACCEPTED} patterns for one crawl, got ${count}; open whole hosts: shop.example/**`,
    )
}

function write(frontier: Pick<Frontier, 'note'>, accepted: Accepted): Promise<void> {
  return frontier.note({ [PART]: JSON.stringify([VERSION, accepted]) })
}

function joined(crawlMemories: CrawlInfo['crawlMemories']): Accepted {
  const patterns = new Set<string>()
  const opened = new Set<string>()
  for (const parts of crawlMemories) {
    const saved = savedOf(parts[PART])
    for (const pattern of saved?.patterns ?? []) patterns.add(pattern)
    for (const pattern of saved?.opened ?? []) opened.add(pattern)
  }
  return { patterns: [...patterns], opened: [...opened] }
}

function savedOf(text: string | undefined): Accepted | undefined {
  try {
    const [version, saved] = JSON.parse(text ?? '[0]') as [number, Accepted?]
    return version === VERSION ? saved : undefined
  } catch {
    return undefined
  }
}
