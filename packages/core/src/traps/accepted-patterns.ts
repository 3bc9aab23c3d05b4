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
/** Reason of requests that wait for their pattern to be opened. */
export const TRAP_REASON = 'trap'

/** The patterns that are open for good, as `closedPatterns` of the report names them. */
export function acceptedPatterns(crawlMemories: CrawlInfo['crawlMemories']): ReadonlySet<string> {
  return new Set(crawlMemories.flatMap((parts) => savedOf(parts[PART])))
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
 * that has them is visited again; requests that waited when the pattern was closed wait again anyway.
 *
 * @throws AvocetError AVO_USAGE for what is no pattern, or when there are too many.
 */
export async function acceptPatterns(
  frontier: Pick<Frontier, 'note'>,
  { crawlMemories }: Pick<CrawlInfo, 'crawlMemories'>,
  patterns: readonly string[],
): Promise<void> {
  assertPatterns(patterns)
  const all = [...new Set([...acceptedPatterns(crawlMemories), ...patterns])]
  assertFew(all.length)
  await write(frontier, all)
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
  await write(
    frontier,
    [...acceptedPatterns(crawlMemories)].filter((pattern) => !patterns.includes(pattern)),
  )
}

function assertFew(count: number): void {
  if (count > MAX_ACCEPTED)
    throw new AvocetError(
      'AVO_USAGE',
      `expected at most ${MAX_ACCEPTED} patterns for one crawl, got ${count}; open whole hosts: shop.example/**`,
    )
}

function write(frontier: Pick<Frontier, 'note'>, patterns: readonly string[]): Promise<void> {
  return frontier.note({ [PART]: JSON.stringify([VERSION, patterns]) })
}

function savedOf(text: string | undefined): readonly string[] {
  try {
    const [version, saved] = JSON.parse(text ?? '[0]') as [number, (readonly string[])?]
    return version === VERSION && saved !== undefined ? saved : []
  } catch {
    return []
  }
}
