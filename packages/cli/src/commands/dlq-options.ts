// What may be typed after `avocet dlq`.
import { AvocetError, DEAD_LETTERS, parseUrl, type DeadLetterClass, didYouMean } from '@avocet/core'
import type { Typed } from '../declared/declared-command.ts'
import { checkSeedUrl } from '../load/seed-list.ts'
import { textOf } from '../options/text-of.ts'
import { parseWholeNumber } from '../options/whole-number.ts'

const ACTIONS = ['list', 'retry'] as const
/** Pages that `list` shows. */
export const DEFAULT_LIMIT: number = 100

/** What was typed. */
export interface DlqOptions {
  readonly action: (typeof ACTIONS)[number]
  readonly store?: string
  /** Absent: every class to list; to retry those that time may heal. */
  readonly classes?: readonly DeadLetterClass[]
  readonly hostKey?: string
  /** To retry this page alone; in WHATWG form. */
  readonly url?: string
  readonly limit: number
  readonly json: boolean
}

/** Classes that `retry` takes when none is named: the others would fail in the same way. */
export const HEALING: readonly DeadLetterClass[] = ['exhausted', 'throttled', 'host-dead']

/** All of them. */
export const CLASSES: readonly DeadLetterClass[] = Object.keys(DEAD_LETTERS) as DeadLetterClass[]

/** Throws AVO_USAGE in one line, with what was probably meant. */
export function dlqOptionsOf(typed: Typed): DlqOptions {
  const { url, store } = targetOf(textOf(typed, 'target'), textOf(typed, 'store'))
  const host = textOf(typed, 'host')
  const limit = textOf(typed, 'limit')
  const classes = classesOf(textOf(typed, 'class'))
  const action = actionOf(textOf(typed, 'action') ?? '')
  if (url !== undefined) checkPage(action, (classes ?? host) !== undefined)
  return {
    action,
    ...(url !== undefined && { url }),
    ...(store !== undefined && { store }),
    ...(classes && { classes }),
    ...(host !== undefined && { hostKey: host.toLowerCase() }),
    limit: limit === undefined ? DEFAULT_LIMIT : parseWholeNumber(limit, 'dlq --limit', 1),
    json: typed['json'] === true,
  }
}

/** What stands after the action: a page, a store, or both. */
function targetOf(
  target: string | undefined,
  store: string | undefined,
): { url?: string | undefined; store?: string | undefined } {
  if (target === undefined || !/^https?:\/\//i.test(target)) return { store: target ?? store }
  return { url: parseUrl(checkSeedUrl(target, 'dlq')), store }
}

function checkPage(action: DlqOptions['action'], narrowed: boolean): void {
  if (action === 'list')
    throw new AvocetError('AVO_USAGE', 'dlq list: expected a store, got a URL; avocet why URL tells of one page')
  if (narrowed) throw new AvocetError('AVO_USAGE', 'dlq retry: expected a URL or --class and --host, got both; leave one out')
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
