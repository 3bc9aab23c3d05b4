// The options of the plugin, and their check. No message quotes a URL or a password.
import { AvocetError } from '@avocet/core'
import { checkOptions, option, type OptionRule, type OptionRules } from '@avocet/core/plugin'
import type { Alert } from './laws/alert-law.ts'

/** Where alerts go: an object with one of the keys of a kind, or a function that throws where it cannot take one. */
export type AlertTarget =
  /** Gets a POST with the alert as JSON, signed as those of the sink `webhook` if `AVOCET_WEBHOOK_SECRET` is set. */
  | { readonly webhook: string; readonly headers?: Readonly<Record<string, string>> }
  /** An incoming webhook of Slack. */
  | { readonly slack: string }
  /** A webhook of Discord. */
  | { readonly discord: string }
  /** A workflow of Microsoft Teams that posts cards. */
  | { readonly teams: string }
  | { readonly email: AlertMail }
  /** A program with its arguments: it gets the alert as JSON on its standard input. No shell. */
  | { readonly command: readonly [string, ...string[]] }
  | ((alert: Alert & { readonly crawl: string }, around: { readonly signal: AbortSignal }) => void | Promise<void>)

/** E-mail by SMTP. */
export interface AlertMail {
  /** The server with its user, as a URL: `smtps://user:password@smtp.example`. */
  readonly smtp: string
  readonly from: string
  /** One address, or several. */
  readonly to: string | readonly string[]
}

/** What is watched. `false` turns a rule off. */
export interface AlertRules {
  /** A handler gets no items from a host any more, or fails on its pages, or a plugin such as health suspects the host. Default `true`. */
  readonly broken?: boolean
  /** A host forbids its pages. Default `true`. */
  readonly blocked?: boolean
  /** A host was given up. Default `true`. */
  readonly givenUp?: boolean
  /** Share of refusals (429, 503, 403) among the answers of about an hour, of a host and of all hosts. Default 0.2. */
  readonly refusedRatio?: number | false
  /** Items that a sink lacks. Default 10,000. */
  readonly sinkBehindItems?: number | false
  /** How long a sink fails, in ms. Default 15 minutes. */
  readonly sinkFailsMs?: number | false
  /** Share of the pages that are visited again whose visit is late by more than an interval. Default 0.1. */
  readonly lateRatio?: number | false
  /** The whole crawl is paused: by an operator, its store or this machine. Default `true`. */
  readonly paused?: boolean
  /** The run failed, or only hosts that were given up are left. Default `true`. */
  readonly failed?: boolean
}

/** Options of `alerts`. */
export interface AlertOptions {
  /** Where alerts go. */
  readonly to: readonly AlertTarget[]
  /** What is watched. Default: all rules. */
  readonly rules?: AlertRules
  /** A URL that gets a POST while the crawl lives and is not paused, such as a check of healthchecks.io. */
  readonly heartbeat?: string
  /** How long after a message of a rule about hosts or sinks the next one follows. Default 10 minutes. */
  readonly groupIntervalMs?: number
}

const RULES: OptionRules<AlertRules> = {
  ...{ broken: option.flag, blocked: option.flag, givenUp: option.flag },
  ...{ paused: option.flag, failed: option.flag },
  refusedRatio: option.orFalse(option.between(0, 1)),
  lateRatio: option.orFalse(option.between(0, 1)),
  sinkBehindItems: option.orFalse(option.wholeNumber(1)),
  sinkFailsMs: option.orFalse(option.atLeast(0)),
}

/** When nothing else is said. */
const WATCHED: Required<AlertRules> = {
  ...{ broken: true, blocked: true, givenUp: true, paused: true, failed: true },
  ...{ refusedRatio: 0.2, lateRatio: 0.1, sinkBehindItems: 10_000, sinkFailsMs: 900_000 },
}

/** What is wrong is said without the URL, which may hold a secret. */
function urlRule(protocols: RegExp, expected: string): OptionRule {
  const isUrl = (value: unknown): boolean => typeof value === 'string' && protocols.test(URL.parse(value)?.protocol ?? '')
  const got = (value: unknown): string =>
    value === undefined || value === ''
      ? 'got nothing; set the variable that it comes from'
      : 'got something else; it is not shown here, because it may hold a secret'
  return { expected, problem: (value, path) => (isUrl(value) ? undefined : `expected ${path} to be ${expected}, ${got(value)}`) }
}

const URL_OF_WEB = urlRule(/^https?:$/, 'an http(s) URL')

const MAIL: OptionRules<AlertMail> = {
  smtp: option.needed(urlRule(/^smtps?:$/, 'an smtp(s) URL')),
  from: option.needed(option.nonEmptyText),
  to: option.needed(option.either(option.nonEmptyText, option.listOf(option.nonEmptyText))),
}

/** By kind. */
const TARGETS: Readonly<Record<string, OptionRule>> = {
  ...{ webhook: URL_OF_WEB, slack: URL_OF_WEB, discord: URL_OF_WEB, teams: URL_OF_WEB },
  email: option.tableOf(MAIL),
  command: option.satisfying('a list of a program and its arguments', (value) => Array.isArray(value) && value.length > 0),
}

const TARGET: OptionRule = {
  expected: `a function, or an object with one of ${Object.keys(TARGETS).join(', ')}`,
  problem(value, path) {
    if (typeof value === 'function') return undefined
    const { headers: _headers, ...given } = (option.hasMembers(value) ? value : {}) as Readonly<Record<string, unknown>>
    const [kind = '', another] = Object.keys(given)
    if (kind === '' || another !== undefined) return `expected ${path} to be ${TARGET.expected}`
    return TARGETS[kind]?.problem(given[kind], `${path}.${kind}`) ?? option.optionsProblem(path, given, TARGETS)
  },
}

const OPTIONS: OptionRules<AlertOptions> = {
  to: option.needed(option.listOf(TARGET)),
  rules: option.tableOf(RULES),
  heartbeat: URL_OF_WEB,
  groupIntervalMs: option.atLeast(0),
}

/** Checked, with defaults. */
export interface AlertSettings extends Required<Pick<AlertOptions, 'groupIntervalMs'>> {
  readonly rules: Required<AlertRules>
}

/** Throws AVO_CONFIG_INVALID. */
export function alertSettings(options: AlertOptions): AlertSettings {
  checkOptions('alerts', options, OPTIONS)
  // A variable that is not set would switch it off without a word.
  if ('heartbeat' in options && options.heartbeat === undefined)
    throw new AvocetError('AVO_CONFIG_INVALID', URL_OF_WEB.problem(undefined, 'alerts: heartbeat') ?? '')
  if (options.to.length === 0 && options.heartbeat === undefined)
    throw new AvocetError(
      'AVO_CONFIG_INVALID',
      'expected alerts: to to have a target, or a heartbeat beside it, got none; add one, or leave the plugin out',
    )
  const { groupIntervalMs = 600_000, rules = {} } = options
  const said = Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined))
  return { groupIntervalMs, rules: { ...WATCHED, ...said } }
}
