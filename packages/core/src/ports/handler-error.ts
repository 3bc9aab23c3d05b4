// What went wrong in the user's own code, so that a thousand pages that fail for one reason are one line: kind and place, and a message that is the
// same for all of them.
import type { FailureCode } from '../values/errors.ts'

/** An error in a handler, or in `onItem` of a plugin: what it was, and where. Plain JSON. */
export interface HandlerError {
  /** Its cause: `AVO_HANDLER_THREW`, `AVO_PLUGIN_THREW` and others. */
  readonly code: FailureCode
  /** One line of at most 300 characters: `TypeError: Cannot read properties of undefined (reading 'trim')`. */
  readonly message: string
  /** The innermost line of the user's own code: `/home/me/shop.ts:17:37`. Absent when no line is known. */
  readonly place?: string
  /** As it was thrown, at most 4,000 characters. */
  readonly stack?: string
}

/** Errors that are one: how many pages of the store are lost to it. */
export interface HandlerErrorGroup extends HandlerError {
  /** Pages of all runs that failed for it. */
  readonly count: number
  /** The page that failed first. */
  readonly url: string
  /** Handler of that page. */
  readonly handler: string
}

/**
 * Groups that a store lists one by one. For a new one beyond them, those make room of which no failed page is left; else, of the `STALE_ERROR_GROUPS` that were
 * seen longest ago, the one with the fewest pages becomes part of `OTHER_ERRORS`. So a crawl of a year lists the errors of today, and neither a flood of errors
 * that are alone of their kind drives out those that many pages have, nor do old ones keep new ones out.
 */
export const MAX_ERROR_GROUPS = 100

/** Of all groups, so many may make room although they have pages. */
export const STALE_ERROR_GROUPS = 50

/** A group is noted as seen at most so often. */
export const ERROR_SEEN_EVERY_MS = 3_600_000

/** All that are not listed one by one. */
export const OTHER_ERRORS: HandlerError = {
  code: 'AVO_HANDLER_THREW',
  message: `errors of further kinds: at most ${MAX_ERROR_GROUPS} kinds are listed one by one`,
}

/** The same for two errors that are one: same code and place, and messages that differ in URLs, numbers and quoted texts only. Empty for `OTHER_ERRORS`. */
export function groupOf({ code, place = '', message }: HandlerError): string {
  if (message === OTHER_ERRORS.message) return ''
  return `${code} ${place} ${alikeMessage(message)}`
}

/** A message without what a page puts into it: URLs, numbers, quoted texts. A name in quotes (`reading 'trim'`) is short, and stays. */
export function alikeMessage(message: string): string {
  return message
    .replaceAll(/https?:\/\/[^\s'"`)\]}>]+/g, 'URL')
    .replaceAll(/"(?:[^"\\]|\\.){0,300}"/g, '"…"')
    .replaceAll(/\d+(?:[.,]\d+)*/g, '0')
}
