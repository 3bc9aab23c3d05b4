// `avocet scope`: the patterns of URLs that a crawl closed. `list` names them, and those that were accepted; `accept` opens some again, from the next run on;
// `forget` takes that back.
import { AvocetError } from '@avocet/core'
import { assertTypedPatterns, Orders, typedPattern, storedReport } from '@avocet/core/tools'
import { existingStore, nameFrom, noStore, shownName } from '../load/store-path.ts'
import { writeDocument } from '../output/machines.ts'
import { print } from '../output/people.ts'
import type { Place } from '../place.ts'
import { besideCrawl, openedAhead, openedAsItIs, withReader } from '../store/open-store.ts'
import { storeExists } from '../store-kinds/store-kinds.ts'
import { commandName } from '../text/command-line.ts'
import { closedLine } from '../text/left-undone.ts'
import { printable } from '../text/printable.ts'
import { acceptablePatterns, sameOf, unknownPattern } from './acceptable-patterns.ts'

/** What was typed. */
export interface ScopeOptions {
  readonly action: 'list' | 'accept' | 'forget'
  readonly patterns: readonly string[]
  readonly store?: string
  /** Also what is not closed, in a store that is made when there is none. */
  readonly ahead: boolean
  readonly json: boolean
}

/** Exit code 0 also when nothing is closed. Throws AVO_FRONTIER_…, AVO_USAGE. */
export function scopeCommand(options: ScopeOptions, place: Place): Promise<void> {
  return { list, accept, forget }[options.action](options, place)
}

function list({ store, json }: ScopeOptions, place: Place): Promise<void> {
  const { stdout, clock } = place
  return withReader(place, store, async (reader) => {
    const { closedPatterns: closed } = await storedReport(reader, { now: clock.now() })
    const accepted = [...(await Orders.of(reader)).accepted].toSorted()
    if (json) return writeDocument(stdout, { schema: 1, closed, accepted })
    const heading = accepted.length === 0 ? [] : ['accepted:']
    await print(stdout, [
      ...(closed.length === 0 ? ['no pattern is closed'] : closed.map(closedLine)),
      ...heading,
      ...accepted.map((pattern) => `  ${printable(pattern)}`),
    ])
  })
}

async function accept(options: ScopeOptions, place: Place): Promise<void> {
  const { stdout, stderr, clock, folder } = place
  const { path, isNew } = await storeToAccept(options, place)
  // Before it is opened: a call that is refused leaves no store. One that is there may know what was typed, letter by letter.
  if (isNew) assertTypedPatterns(options.patterns)
  const name = nameFrom(folder, path)
  const { frontier, info, hostKeying } = isNew ? await openedAhead(path, place) : await openedAsItIs(path, clock.now())
  try {
    const { patterns, ahead, renamed } = await acceptablePatterns(frontier.reader, options, hostKeying)
    await Orders.give(frontier, { kind: 'accept', patterns }, clock.now() + (info.aheadMs ?? 0))
    await print(stderr, renamed)
    if (isNew) await print(stderr, [`there is no store yet, so ${name} was made: a crawl with this store will use it`])
    else if (ahead.length > 0)
      await print(stderr, [
        `nothing of ${ahead.map(printable).join(', ')} is closed; accepted ahead (${commandName()} scope list names what is closed)`,
      ])
    const { liveProcesses } = await frontier.reader.info()
    const isRunning = liveProcesses > 1
    const when = isRunning ? 'once the crawl that runs now has ended and is run again' : 'when the crawl is run again'
    const text = `${patterns.map(printable).join(', ')}: open ${isNew ? 'when the crawl is run' : when} (store: ${name})`
    if (options.json) await writeDocument(stdout, { schema: 1, accepted: patterns, running: isRunning })
    else await print(stdout, [text])
  } finally {
    await frontier.close()
  }
}

async function forget({ store, patterns: typed, json }: ScopeOptions, place: Place): Promise<void> {
  const { stdout } = place
  const path = await existingStore(place, store)
  return besideCrawl(path, place, async ({ frontier, hostKeying, now }) => {
    const accepted = [...(await Orders.of(frontier.reader)).accepted].toSorted()
    const patterns = typed.map((each) => {
      const found = sameOf(accepted, each, hostKeying)
      if (found !== undefined) return found
      throw unknownPattern('forget', { pattern: typedPattern(each, hostKeying), known: accepted })
    })
    await Orders.give(frontier, { kind: 'forget-patterns', patterns }, now)
    if (json) await writeDocument(stdout, { schema: 1, forgotten: patterns })
    else
      await print(stdout, [
        `${patterns.map(printable).join(', ')}: no longer accepted; from the next run on, it is treated like any other`,
      ])
  })
}

/** The store that there is; where one is named, and something accepted ahead, one that is to be made. */
async function storeToAccept(
  { store, ahead }: ScopeOptions,
  place: Place,
): Promise<{ readonly path: string; readonly isNew: boolean }> {
  try {
    const path = await existingStore(place, store)
    const isThere = await storeExists(path)
    if (isThere || ahead) return { path, isNew: !isThere }
    throw noStore(`at ${shownName(path)}`)
  } catch (error) {
    if (!(error instanceof AvocetError && error.code === 'AVO_FRONTIER_MISSING')) throw error
    throw new AvocetError(
      'AVO_FRONTIER_MISSING',
      `${error.message}; before the first run: ${commandName()} scope accept PATTERN --ahead --store PATH`,
    )
  }
}
