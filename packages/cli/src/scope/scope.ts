// `avocet scope`: the patterns of URLs that a crawl closed. `list` names them, and those that were accepted; `accept` opens some again, from the next run on;
// `forget` takes that back.
import { AvocetError, type CrawlReport } from '@avocet/core'
import { didYouMean, siteOf } from '@avocet/core/plugin'
import { HIDDEN_VALUE, type FrontierReader } from '@avocet/core/store'
import { Orders, type CrawlAtRest } from '@avocet/at-rest'
import { withoutCredentials } from '@avocet/plugin-secrets/names'
import { type NamedStore, existingStore, nameFrom, besideCrawl, withReader } from '@avocet/project/store'
import { writeDocument, print, type Place, commandName } from '@avocet/project/place'
import { printable, formatCount } from '@avocet/project/text'
import { crawlAtRest } from '../store/at-rest.ts'
import { closedLine } from '../text/left-undone.ts'

/** What was typed. */
export interface ScopeOptions extends NamedStore {
  readonly action: 'list' | 'accept' | 'forget'
  readonly patterns: readonly string[]
  readonly json: boolean
}

/** Exit code 0 also when nothing is closed. Throws AVO_FRONTIER_…, AVO_USAGE. */
export function scopeCommand(options: ScopeOptions, place: Place): Promise<void> {
  return { list, accept, forget }[options.action](options, place)
}

function list({ store, configPath, json }: ScopeOptions, place: Place): Promise<void> {
  const { stdout, clock } = place
  return withReader(place, { store, configPath }, async (reader) => {
    const crawl = await crawlAtRest(reader)
    const { closedPatterns: closed } = await crawl.report({ now: clock.now() })
    const accepted = [...crawl.orders.accepted].toSorted()
    if (json) return writeDocument(stdout, { schema: 1, closed, accepted })
    const heading = accepted.length === 0 ? [] : ['accepted:']
    await print(stdout, [
      ...(closed.length === 0 ? ['no pattern is closed'] : closed.map(closedLine)),
      ...heading,
      ...accepted.map((pattern) => `  ${printable(pattern)}`),
    ])
  })
}

async function accept({ store, configPath, patterns: typed, json }: ScopeOptions, place: Place): Promise<void> {
  const { stdout, folder } = place
  const path = await existingStore(place, store, configPath)
  return besideCrawl(path, place, async ({ frontier, now }) => {
    const { reader } = frontier
    const crawl = await crawlAtRest(reader)
    const { secretParameters: secret } = crawl
    const patterns: string[] = []
    for (const each of typed) {
      const found = sameOf([...crawl.orders.accepted], each) ?? (await closedAs(reader, crawl, each))
      if (found === undefined)
        throw unknownPattern('accept', withoutCredentials(each, secret), namesOf((await crawl.report({ now })).closedPatterns))
      patterns.push(found)
    }
    await Orders.give(frontier, { kind: 'accept', patterns: [...new Set(patterns)] }, now)
    const isRunning = (await reader.info()).liveProcesses > 1
    if (json) return writeDocument(stdout, { schema: 1, accepted: patterns, running: isRunning })
    const when = isRunning ? 'once the crawl that runs now has ended and is run again' : 'when the crawl is run again'
    await print(stdout, [`${patterns.map(printable).join(', ')}: open ${when} (store: ${nameFrom(folder, path)})`])
  })
}

async function forget({ store, configPath, patterns: typed, json }: ScopeOptions, place: Place): Promise<void> {
  const { stdout } = place
  const path = await existingStore(place, store, configPath)
  return besideCrawl(path, place, async ({ frontier, now }) => {
    const crawl = await crawlAtRest(frontier.reader)
    const accepted = [...crawl.orders.accepted].toSorted()
    const patterns = typed.map((each) => {
      const found = sameOf(accepted, each)
      if (found !== undefined) return found
      throw unknownPattern('forget', withoutCredentials(each, crawl.secretParameters), accepted)
    })
    await Orders.give(frontier, { kind: 'forget-patterns', patterns }, now)
    if (json) await writeDocument(stdout, { schema: 1, forgotten: patterns })
    else
      await print(stdout, [
        `${patterns.map(printable).join(', ')}: no longer accepted; from the next run on, it is treated like any other`,
      ])
  })
}

/** The pattern that `typed` means, as the store has it: one that is closed, all of a host, or all hosts of a domain. Undefined: the store has none. */
async function closedAs(reader: FrontierReader, crawl: CrawlAtRest, typed: string): Promise<string | undefined> {
  if (typed.startsWith('*.')) return (await knowsSite(crawl, typed.slice('*.'.length))) ? typed : undefined
  const [record] = await reader.hosts({ hostKey: typed.slice(0, Math.max(0, typed.indexOf('/'))) })
  if (record === undefined) return undefined
  return sameOf([`${record.hostKey}/**`, ...namesOf(crawl.closedPatterns(record))], typed)
}

async function knowsSite(crawl: CrawlAtRest, site: string): Promise<boolean> {
  for await (const { hostKey } of crawl.hosts({ memory: 'none' })) if (siteOf(hostKey) === site) return true
  return false
}

function namesOf(closed: CrawlReport['closedPatterns']): readonly string[] {
  return closed.map(({ pattern }) => pattern)
}

/** That one of `known` that was typed: letter by letter, or as a message shows it. */
function sameOf(known: readonly string[], typed: string): string | undefined {
  return known.find((each) => each === typed) ?? known.find((each) => plainly(each) === plainly(typed))
}

/** In messages the reference stands for the value of a secret parameter, and in a path for a secret. */
function plainly(pattern: string): string {
  return pattern.replaceAll(HIDDEN_VALUE, '*')
}

/** More are in `avocet scope list`. */
const MAX_NAMED = 5
const STATE = { accept: 'closed', forget: 'accepted' } as const

/** The error of `avocet scope ACTION` about `pattern`, where `known` are those that it could be. */
function unknownPattern(action: keyof typeof STATE, pattern: string, known: readonly string[]): AvocetError {
  const state = STATE[action]
  const more = known.length - MAX_NAMED
  const names =
    known.slice(0, MAX_NAMED).join(', ') + (more > 0 ? `, and ${formatCount(more)} more (${commandName()} scope list)` : '')
  const those = known.length === 0 ? `nothing is ${state}` : `${state}: ${names}`
  return new AvocetError(
    'AVO_USAGE',
    `scope ${action}: expected a pattern that is ${state}, got '${pattern}'${didYouMean(pattern, known)}; ${those}`,
  )
}
