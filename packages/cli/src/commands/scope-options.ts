// What may be typed after `avocet scope`.
import { AvocetError, didYouMean } from '@avocet/core'
import type { Typed } from '../declared/declared-command.ts'
import { textOf } from '../options/text-of.ts'

const ACTIONS = ['list', 'accept', 'forget'] as const

/** What was typed. */
export interface ScopeOptions {
  readonly action: (typeof ACTIONS)[number]
  readonly patterns: readonly string[]
  readonly store?: string
  /** Also what is not closed, in a store that is made when there is none. */
  readonly ahead: boolean
  readonly json: boolean
}

/** Throws AVO_USAGE in one line, with what was probably meant. */
export function scopeOptionsOf(typed: Typed): ScopeOptions {
  const store = textOf(typed, 'store')
  const given = typed['patterns']
  const patterns = (Array.isArray(given) ? given : given === undefined ? [] : [given]).map(String)
  const action = actionOf(textOf(typed, 'action') ?? '')
  const ahead = typed['ahead'] === true
  if (action !== 'list' && patterns.length === 0)
    throw new AvocetError(
      'AVO_USAGE',
      `scope ${action}: expected a pattern, got nothing; avocet scope list names those that are closed or accepted`,
    )
  if (action !== 'accept' && ahead)
    throw new AvocetError('AVO_USAGE', `scope ${action}: expected no --ahead; it is for avocet scope accept`)
  if (action === 'list' && patterns.length > 0)
    throw new AvocetError(
      'AVO_USAGE',
      `scope list: expected no pattern, got '${patterns[0] ?? ''}'; to open it: avocet scope accept`,
    )
  return { action, patterns, ahead, ...(store !== undefined && { store }), json: typed['json'] === true }
}

function actionOf(typed: string): ScopeOptions['action'] {
  const action = ACTIONS.find((name) => name === typed)
  if (action !== undefined) return action
  throw new AvocetError('AVO_USAGE', `scope: expected list, accept or forget, got '${typed}'${didYouMean(typed, ACTIONS)}`)
}
