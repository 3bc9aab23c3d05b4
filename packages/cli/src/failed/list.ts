// `avocet failed list`: which pages were given up, and why.
import { groupOf, type HandlerError, type HandlerErrorGroup } from '@avocet/core/store'
import { writeDocument, print, type Place } from '@avocet/project/place'
import { withReader, type DeadLetterClass } from '@avocet/project/store'
import { printable, formatCount } from '@avocet/project/text'
import { countsByClass, isDueAgain, lettersOf, OPEN_CLASSES, type DeadLetter } from '../store/dead-letters.ts'
import { whenInWords } from '../text/left-undone.ts'
import { countsLine, type FailedOptions, failedStore, howToRetry } from './failed-words.ts'
import { errorInWords } from '../text/store-words.ts'

/** Exit code 0 also when there is nothing to list. Throws AVO_FRONTIER_…, AVO_USAGE for a word that matches nothing. */
export async function listPages(options: FailedOptions, place: Place): Promise<void> {
  const { store, hostKey, limit, json, classes = OPEN_CLASSES } = options
  const { folder, stdout, clock } = place
  const path = await failedStore(place, options)
  return withReader(place, { store: path }, async (reader) => {
    const letters: DeadLetter[] = []
    let more = false
    for await (const letter of lettersOf(reader, { classes, ...(hostKey !== undefined && { hostKey }) })) {
      more = letters.length === limit
      if (more) break
      letters.push(letter)
    }
    const counts = await countsByClass(reader)
    const { handlerErrors: errors } = await reader.problems()
    if (json) await writeDocument(stdout, documentOf(letters, { counts, more }))
    else {
      await print(stdout, [
        ...letters.map((letter) => lineOf(letter, errors, { folder, now: clock.now() })),
        ...closing(letters, { counts, more, store, classes }),
      ])
    }
  })
}

/** The lines below the list. Totals are of the whole store. */
interface Totals {
  readonly counts: ReadonlyMap<DeadLetterClass, number>
  readonly more: boolean
  /** As it was typed; absent where it was found. */
  readonly store: string | undefined
  /** Those that are listed. */
  readonly classes: readonly DeadLetterClass[]
}

function documentOf(letters: readonly DeadLetter[], { counts, more }: Pick<Totals, 'counts' | 'more'>): object {
  return {
    schema: 1,
    counts: Object.fromEntries(counts),
    more,
    letters: letters.map(({ class: name, reason, record }) => ({ class: name, ...record, reason })),
  }
}

function lineOf(
  { class: name, reason, record }: DeadLetter,
  errors: readonly HandlerErrorGroup[],
  { folder, now }: { readonly folder: string; readonly now: number },
): string {
  const { url, attempts, freeAttempts, handlerError, session, notBefore = now } = record
  const where = session === undefined ? printable(url) : `${printable(url)} (session ${printable(session)})`
  const tries = attempts + freeAttempts
  const again = isDueAgain(record) ? `, due again ${whenInWords(notBefore, now)}` : ''
  const error = errorInWords(record, folder)
  const why = error === undefined ? '' : `  ${error}${handlerError === undefined ? '' : likeOthers(url, handlerError, errors)}`
  return `${name.padEnd(9)}  ${where}  ${printable(reason)}${tries > 1 ? `, ${tries} attempts` : ''}${again}${why}`
}

/** Pages that failed alike have one message, of whichever failed first: what a page puts into it may be that of another. */
function likeOthers(url: string, error: HandlerError, errors: readonly HandlerErrorGroup[]): string {
  const kind = groupOf(error)
  const like = errors.find((group) => groupOf(group) === kind)
  if (like === undefined || like.count === 1) return ''
  if (!kind.endsWith(error.message)) return `, or the like (the message of one of ${formatCount(like.count)} such pages)`
  return like.url === url ? '' : `, as on ${printable(like.url)}`
}

function closing(letters: readonly DeadLetter[], { counts, more, store, classes }: Totals): string[] {
  const totals = countsLine(counts)
  const listed = letters.length
  if (listed === 0) return [totals === '' ? 'nothing has failed' : `no matching failed pages; the store has ${totals}`]
  const shown = `${more ? `the first ${formatCount(listed)} (--limit for more); ` : ''}failed in the store: ${totals}`
  if (letters.every(({ record }) => isDueAgain(record))) return ['', `${shown}; the crawl visits these again when they are due`]
  const [how = '', ...commands] = howToRetry(
    [...counts.keys()].filter((name) => classes.includes(name)),
    store,
  )
  return ['', `${shown}; ${how}`, ...commands]
}
