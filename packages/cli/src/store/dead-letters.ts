// Reads the dead letters of a store: failed requests, and those that wait under hosts that were given up.
import type { FrontierReader, HostRecord, RequestRecord } from '@avocet/core/store'
import { atRest } from '@avocet/at-rest'
import { DEAD_LETTERS, deadLetterClass, deadLetterClassOf, type DeadLetterClass } from '@avocet/project/store'

/** Every class. */
export const CLASSES: readonly DeadLetterClass[] = Object.keys(DEAD_LETTERS) as DeadLetterClass[]

/** Those that somebody may have to look at: all but what an operator has dropped. */
export const OPEN_CLASSES: readonly DeadLetterClass[] = CLASSES.filter((name) => name !== 'dropped')

/** Classes that `retry` takes when none is named: the others would fail in the same way. */
export const HEALING: readonly DeadLetterClass[] = ['exhausted', 'throttled', 'host-dead']

/** A dead letter. */
export interface DeadLetter {
  readonly class: DeadLetterClass
  /** The request's own, or why its host was given up. */
  readonly reason: string
  readonly record: RequestRecord
}

/** Which ones. */
export interface LetterQuery {
  readonly classes: readonly DeadLetterClass[]
  readonly hostKey?: string
}

const PAGE = 1_000

/** Dead letters, the failed ones first, each kind by id. */
export async function* lettersOf(reader: FrontierReader, query: LetterQuery): AsyncGenerator<DeadLetter> {
  const { classes, hostKey } = query
  yield* failedLetters(reader, query)
  if (!classes.includes('host-dead')) return
  for await (const host of retiredHosts(reader, hostKey)) {
    for await (const record of requestsOf(reader, 'waiting', host.hostKey))
      yield { class: 'host-dead', reason: host.retiredFor ?? '', record }
  }
}

/** Those that failed, by id, also those that are due again. */
async function* failedLetters(reader: FrontierReader, { classes, hostKey }: LetterQuery): AsyncGenerator<DeadLetter> {
  if ((await reasonsOf(reader, classes)).length === 0) return
  for await (const record of requestsOf(reader, 'failed', hostKey)) {
    const found = deadLetterClass(record)
    if (found !== undefined && classes.includes(found)) yield { class: found, reason: record.reason ?? '', record }
  }
}

/** The same by their ids alone, without those that are due again: they are requested then. */
export async function* failedIds(reader: FrontierReader, query: LetterQuery): AsyncGenerator<number> {
  for await (const { record } of failedLetters(reader, query)) if (!isDueAgain(record)) yield record.id
}

/** Whether a failed page is due again in a round; one that is gone is visited rarely, which does not count. */
export function isDueAgain({ state, notBefore, gone }: RequestRecord): boolean {
  return state === 'failed' && notBefore !== undefined && gone !== true
}

/** Reasons of failed requests that are of these classes. */
async function reasonsOf(reader: FrontierReader, classes: readonly DeadLetterClass[]): Promise<readonly string[]> {
  const failures = await reader.failures()
  return failures.map(({ reason }) => reason).filter((reason) => classes.includes(deadLetterClassOf(reason)))
}

/** How many dead letters the store has, by class, in the order of the classes; those that it has none of are left out. */
export async function countsByClass(reader: FrontierReader): Promise<ReadonlyMap<DeadLetterClass, number>> {
  const counts = new Map(CLASSES.map((name) => [name, 0]))
  const add = (name: DeadLetterClass, count: number): unknown => counts.set(name, (counts.get(name) ?? 0) + count)
  for (const { reason, count } of await reader.failures()) add(deadLetterClassOf(reason), count)
  add('host-dead', (await reader.counts()).retired)
  return new Map([...counts].filter(([, count]) => count > 0))
}

/** Hosts that were given up. */
export async function* retiredHosts(reader: FrontierReader, hostKey?: string): AsyncGenerator<HostRecord> {
  if (hostKey !== undefined) {
    const [host] = await reader.hosts({ hostKey })
    if (host?.retiredFor !== undefined) yield host
    return
  }
  for await (const host of (await atRest(reader)).hosts({ memory: 'none' })) if (host.retiredFor !== undefined) yield host
}

async function* requestsOf(
  reader: FrontierReader,
  state: RequestRecord['state'],
  hostKey?: string,
): AsyncGenerator<RequestRecord> {
  for (let afterId = 0; ;) {
    const page = await reader.requests({ state, afterId, limit: PAGE, ...(hostKey !== undefined && { hostKey }) })
    yield* page
    if (page.length < PAGE) return
    afterId = page.at(-1)?.id ?? afterId
  }
}
