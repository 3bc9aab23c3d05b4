// What may be typed after `avocet dlq`.
import { AvocetError, DEAD_LETTERS, type DeadLetterClass } from '@avocet/core'
import type { Argv, Options } from 'yargs'
import type { Typed } from '../options/crawl-options.ts'
import { parseWholeNumber } from '../options/whole-number.ts'
import { didYouMean } from '../text/closest.ts'

const ACTIONS = ['list', 'retry'] as const
const DEFAULT_LIMIT = 100

/** What was typed. */
export interface DlqOptions {
  readonly action: (typeof ACTIONS)[number]
  readonly store?: string
  /** Absent: every class to list; to retry those that time may heal. */
  readonly classes?: readonly DeadLetterClass[]
  readonly hostKey?: string
  readonly limit: number
  readonly json: boolean
}

/** Classes that `retry` takes when none is named: the others would fail in the same way. */
export const HEALING: readonly DeadLetterClass[] = ['exhausted', 'throttled', 'host-dead']

const CLASSES = Object.keys(DEAD_LETTERS) as DeadLetterClass[]

/** The flags, for yargs and for suggestions. */
export const DLQ_FLAGS: Readonly<Record<string, Options>> = {
  class: { type: 'string', describe: 'of this class, or all' },
  host: { type: 'string', describe: 'of this host, as avocet hosts lists it' },
  limit: { type: 'string', describe: `pages to list (${DEFAULT_LIMIT})` },
  json: { type: 'boolean', describe: 'print one JSON document' },
}

/** Declares the command. */
export function declareDlq(dlq: Argv): Argv {
  const lines = CLASSES.map((name) => `  ${name.padEnd(10)}  ${DEAD_LETTERS[name]}`)
  return dlq
    .usage('avocet dlq list --class exhausted\navocet dlq retry --host shop.example')
    .positional('action', { describe: 'list them, or retry them', type: 'string' })
    .positional('store', { describe: 'default: the only one in .avocet', type: 'string' })
    .options(DLQ_FLAGS)
    .epilogue(['Classes:', ...lines, `retry without --class: ${HEALING.join(', ')}`].join('\n'))
}

/** Throws AVO_USAGE in one line, with what was probably meant. */
export function dlqOptionsOf(typed: Typed): DlqOptions {
  const store = textOf(typed, 'store')
  const host = textOf(typed, 'host')
  const limit = textOf(typed, 'limit')
  const classes = classesOf(textOf(typed, 'class'))
  return {
    action: actionOf(textOf(typed, 'action') ?? ''),
    ...(store !== undefined && { store }),
    ...(classes && { classes }),
    ...(host !== undefined && { hostKey: host.toLowerCase() }),
    limit: limit === undefined ? DEFAULT_LIMIT : parseWholeNumber(limit, 'dlq --limit', 1),
    json: typed['json'] === true,
  }
}

function actionOf(typed: string): DlqOptions['action'] {
  const action = ACTIONS.find((name) => name === typed)
  if (action !== undefined) return action
  throw new AvocetError('AVO_USAGE', `dlq: expected ${ACTIONS.join(' or ')}, got '${typed}'${didYouMean(typed, ACTIONS)}`)
}

function classesOf(typed: string | undefined): readonly DeadLetterClass[] | undefined {
  if (typed === undefined) return undefined
  if (typed === 'all') return CLASSES
  const known = CLASSES.find((name) => name === typed)
  if (known !== undefined) return [known]
  throw new AvocetError(
    'AVO_USAGE',
    `dlq --class: expected ${CLASSES.join(', ')} or all, got '${typed}'${didYouMean(typed, CLASSES)}`,
  )
}

function textOf(typed: Typed, name: string): string | undefined {
  const value = typed[name]
  return typeof value === 'string' ? value : undefined
}
