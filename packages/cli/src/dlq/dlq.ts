// `avocet dlq`: the pages that were given up. `list` says which and why; `retry` has them wait again, and revives their hosts.
import { AvocetError } from '@avocet/core'
import { groupOf, type HandlerError, type HandlerErrorGroup } from '@avocet/core/store'
import { sessionOf, type DeadLetterClass } from '@avocet/core/tools'
import { existingStore, nameFrom } from '../load/store-path.ts'
import { writeDocument } from '../output/machines.ts'
import { print } from '../output/people.ts'
import type { Place } from '../place.ts'
import { CLASSES, countsByClass, HEALING, lettersOf, type DeadLetter } from '../store/dead-letters.ts'
import { howToParse } from '../store/failed-pages.ts'
import { handlerErrorText } from '../store/handler-errors.ts'
import { openedAsItIs, readStore, withReader } from '../store/open-store.ts'
import { storeExists } from '../store-kinds/store-kinds.ts'
import { commandLine } from '../text/command-line.ts'
import { printable } from '../text/printable.ts'
import { formatCount } from '../text/quantity.ts'
import { reopenPage } from './reopen-page.ts'
import { reopenPages, type ReopenedPages } from './reopen-pages.ts'

/** What was typed. */
export interface DlqOptions {
  readonly action: 'list' | 'retry'
  readonly store?: string
  /** Absent: every class to list; to retry those that time may heal. */
  readonly classes?: readonly DeadLetterClass[]
  readonly hostKey?: string
  /** To retry this page alone; in WHATWG form. */
  readonly url?: string
  readonly limit: number
  readonly json: boolean
}

/** Exit code 0 also when there is nothing to list or retry. Throws AVO_FRONTIER_…, AVO_USAGE for a page or a word that matches nothing. */
export function dlqCommand(options: DlqOptions, place: Place): Promise<void> {
  return options.action === 'list' ? list(options, place) : retry(options, place)
}

async function list({ store, hostKey, limit, json, classes = CLASSES }: DlqOptions, place: Place): Promise<void> {
  const { folder, stdout } = place
  const path = await dlqStore(place, store)
  return withReader(place, path, async (reader) => {
    const letters: DeadLetter[] = []
    let more = false
    for await (const letter of lettersOf(reader, { classes, ...(hostKey !== undefined && { hostKey }) })) {
      more = letters.length === limit
      if (more) break
      letters.push(letter)
    }
    const counts = await countsByClass(reader)
    const errors = await reader.handlerErrors()
    if (json) await writeDocument(stdout, documentOf(letters, { counts, more }))
    else {
      const lines = [
        ...letters.map((letter) => lineOf(letter, errors, folder)),
        ...closing(letters.length, { counts, more, store }),
      ]
      await print(stdout, [...lines, ...(await howToParse(errors, { path, folder }))])
    }
  })
}

/** The lines below the list. Totals are of the whole store. */
interface Totals {
  readonly counts: ReadonlyMap<DeadLetterClass, number>
  readonly more: boolean
  /** As it was typed; absent where it was found. */
  readonly store: string | undefined
}

function documentOf(letters: readonly DeadLetter[], { counts, more }: Omit<Totals, 'store'>): object {
  return {
    schema: 1,
    counts: Object.fromEntries(counts),
    more,
    letters: letters.map(({ class: name, reason, record }) => ({ class: name, ...record, reason })),
  }
}

function lineOf({ class: name, reason, record }: DeadLetter, errors: readonly HandlerErrorGroup[], folder: string): string {
  const { url, attempts, freeAttempts, handlerError, identity } = record
  const session = sessionOf(identity)
  const where = session === undefined ? printable(url) : `${printable(url)} (session ${printable(session)})`
  const tries = attempts + freeAttempts
  const why =
    handlerError === undefined ? '' : `  ${handlerErrorText(handlerError, folder)}${likeOthers(url, handlerError, errors)}`
  return `${name.padEnd(9)}  ${where}  ${printable(reason)}${tries > 1 ? `, ${tries} attempts` : ''}${why}`
}

/** Pages that failed alike have one message, of whichever failed first: what a page puts into it may be that of another. */
function likeOthers(url: string, error: HandlerError, errors: readonly HandlerErrorGroup[]): string {
  const kind = groupOf(error)
  const like = errors.find((group) => groupOf(group) === kind)
  if (like === undefined || like.count === 1) return ''
  if (!kind.endsWith(error.message)) return `, or the like (the message of one of ${formatCount(like.count)} such pages)`
  return like.url === url ? '' : `, as on ${printable(like.url)}`
}

function closing(listed: number, { counts, more, store }: Totals): string[] {
  const totals = [...counts].map(([name, count]) => `${formatCount(count)} ${name}`).join(', ')
  if (listed === 0) return [totals === '' ? 'no dead letters' : `no matching dead letters; the store has ${totals}`]
  const shown = `${more ? `the first ${formatCount(listed)} (--limit for more); ` : ''}in the store: ${totals}`
  const [how = '', ...commands] = howToRetry([...counts.keys()], store)
  return ['', `${shown}; ${how}`, ...commands]
}

/** A line, and the command on a line of its own. Without a class, only those that time may heal are requested again. */
function howToRetry(classes: readonly DeadLetterClass[], store: string | undefined): string[] {
  const others = classes.filter((name) => !HEALING.includes(name))
  const [other = ''] = others
  const command = `  ${dlqLine('retry', store)}`
  if (others.length === 0) return ['to request them again:', command]
  if (others.length === classes.length) return ['to request them again:', `${command} --class ${other}`]
  return [`to request those again that time may heal (with --class ${other} others):`, command]
}

function dlqLine(action: DlqOptions['action'], store: string | undefined): string {
  return commandLine(['dlq', action, ...(store === undefined ? [] : [store])])
}

async function retry(options: DlqOptions, place: Place): Promise<void> {
  const { folder, stdout, clock } = place
  const path = await dlqStore(place, options.store)
  const { frontier } = await openedAsItIs(path, clock.now(), place)
  try {
    const { url } = options
    const { reopened, revived, underDead } =
      url === undefined
        ? await reopenPages(frontier, options)
        : { ...(await reopenPage(frontier, url, clock.now())), underDead: false }
    if (options.json) await writeDocument(stdout, { schema: 1, reopened, revived })
    else await print(stdout, saying({ reopened, revived, underDead }, await countsByClass(frontier.reader)))
  } finally {
    await frontier.close()
  }

  function saying({ reopened, revived, underDead }: ReopenedPages, left: ReadonlyMap<DeadLetterClass, number>): string[] {
    if (reopened + revived === 0) {
      const [hint = '', ...commands] =
        left.size === 0 || options.classes
          ? ['to see what was given up:', `  ${dlqLine('list', options.store)}`]
          : howToRetry([...left.keys()], options.store)
      return [`nothing to retry${options.classes ? '' : ' that time may heal'}; ${hint}`, ...commands]
    }
    const hosts = revived > 0 ? `, ${formatCount(revived)} ${revived === 1 ? 'host is' : 'hosts are'} revived` : ''
    const dead = underDead ? '; some hosts stay given up: --class host-dead revives them' : ''
    const waiting = `${formatCount(reopened)} ${reopened === 1 ? 'page waits' : 'pages wait'} again${hosts}${dead}`
    return [`${waiting}; run the crawl again (store: ${nameFrom(folder, path)})`]
  }
}

/** Its path; `given` as of `existingStore`. Throws AVO_USAGE for a word that names nothing, AVO_FRONTIER_… for what is no store. */
async function dlqStore(place: Place, given: string | undefined): Promise<string> {
  const path = await existingStore(place, given)
  if (given !== undefined && !/[/\\]|\.db$/.test(given) && !(await storeExists(path))) throw await unknown(place, given)
  // Opened to be written to, what is not there would be made.
  await readStore(path, async () => undefined)
  return path
}

async function unknown(place: Place, word: string): Promise<AvocetError> {
  const hints = CLASSES.some((name) => name === word) ? [`its pages: --class ${word}`] : []
  // Where there is no store to look into, or more than one, there is nothing to add.
  const there = await withReader(place, undefined, async (reader) => ({
    host: await reader.host(word.toLowerCase()),
    counts: [...(await countsByClass(reader))].map(([name, count]) => `${formatCount(count)} ${name}`).join(', '),
  })).catch(() => undefined)
  if (there?.host !== undefined) hints.push(`its pages: --host ${there.host.hostKey}`)
  if (there !== undefined) hints.push(there.counts === '' ? 'nothing was given up' : `given up are ${there.counts}`)
  const hint = hints.length > 0 ? `; ${hints.join('; ')}` : ''
  return new AvocetError('AVO_USAGE', `dlq: expected the URL of a page or the path of a store, got '${word}'${hint}`)
}
