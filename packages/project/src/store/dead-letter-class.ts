// What kind of dead letter a request is: why it was settled without a page, and with that, whether asking again can help.
//
// The kind follows from the reason alone: a reason that begins with the name of a kind says so itself, which is how plugins say it; of others the one
// table of codes decides, by whose fault it was. Nothing is stored for it, so a store that was written before this table changed is read by the new one.
import { FAILURES, type FailureCode } from '@avocet/core/plugin'
import type { HostRecord, RequestRecord } from '@avocet/core/store'

/** The classes, with what each means. */
export const DEAD_LETTERS = {
  exhausted: 'its attempts are used up; retrying later may help',
  throttled: 'the host kept refusing it; crawling slower may help',
  'host-dead': 'its host was given up, or does not exist',
  blocked: 'the host blocks this crawler (401, 403, 407, 451, 999)',
  payment: 'the site asks for payment (402), which a crawl never makes',
  permanent: 'retrying gives the same result (404, broken page, too large)',
  robots: 'robots.txt does not allow it',
  handler: 'a handler or plugin failed, or no browser was found; fix that',
  'out-of-scope': 'the scope excludes it; in a wider one it waits again',
  trap: 'its pattern of URLs brings nothing new',
  poison: 'the process died three times while working on it',
  'plugin-drop': 'dropped by a plugin, for the reason that it gives',
  dropped: 'dropped by an operator; it is retried only on request',
} as const

/** Why a request is a dead letter. */
export type DeadLetterClass = keyof typeof DEAD_LETTERS

const OF_STATUS: Readonly<Record<number, DeadLetterClass>> = {
  401: 'blocked',
  403: 'blocked',
  407: 'blocked',
  451: 'blocked',
  999: 'blocked',
  402: 'payment',
  408: 'exhausted',
  421: 'exhausted',
  425: 'exhausted',
  429: 'throttled',
  501: 'permanent',
  505: 'permanent',
  511: 'permanent',
}

const OF_REASON: Readonly<Record<string, DeadLetterClass>> = {
  'dns-not-found': 'host-dead',
  // A server does not change these between two attempts.
  'tls-certificate': 'permanent',
  'tls-intermediate': 'permanent',
  'tls-http2-only': 'permanent',
  'commit-rejected': 'handler',
  // It was larger than the budget; what only found no room was not settled.
  'body-budget': 'permanent',
}

const CLASSES = Object.keys(DEAD_LETTERS) as readonly DeadLetterClass[]

const OF_BLAME = { host: 'exhausted', local: 'exhausted', proxy: 'exhausted', url: 'permanent', user: 'handler' } as const

/**
 * The class of a request; undefined when it is none: waiting, done or moved. `host` is its host's record, if that is at hand.
 *
 * @example
 * ```ts
 * deadLetterClass({ state: 'failed', reason: 'http-503' }) // 'exhausted'
 * ```
 */
export function deadLetterClass(
  record: Pick<RequestRecord, 'state' | 'reason'>,
  host?: Pick<HostRecord, 'retiredFor'>,
): DeadLetterClass | undefined {
  if (record.state === 'waiting') return host?.retiredFor === undefined ? undefined : 'host-dead'
  return record.state === 'failed' ? deadLetterClassOf(record.reason ?? '') : undefined
}

/**
 * The class of a reason, as `FrontierReader.failures` lists them. One that is the name of a class, or begins with it, is of that class: `robots`,
 * `blocked-captcha`.
 *
 * @example
 * ```ts
 * deadLetterClassOf('first-byte-timeout') // 'exhausted'
 * ```
 */
export function deadLetterClassOf(reason: string): DeadLetterClass {
  const own =
    (Object.hasOwn(OF_REASON, reason) ? OF_REASON[reason] : undefined) ??
    CLASSES.find((name) => reason === name || reason.startsWith(`${name}-`))
  if (own !== undefined) return own
  const status = /^http-(\d{3})$/.exec(reason)?.[1]
  if (status !== undefined) return OF_STATUS[Number(status)] ?? (Number(status) >= 500 ? 'exhausted' : 'permanent')
  const code = codeOfReason(reason)
  // A word of a plugin of the user's own: it knew what it did.
  return code === undefined ? 'plugin-drop' : OF_BLAME[FAILURES[code].blame]
}

/** `connect-refused` as `AVO_CONNECT_REFUSED`; undefined where the reason is none of the table of codes. */
export function codeOfReason(reason: string): FailureCode | undefined {
  const code = `AVO_${reason.toUpperCase().replaceAll('-', '_')}`
  return Object.hasOwn(FAILURES, code) ? (code as FailureCode) : undefined
}
