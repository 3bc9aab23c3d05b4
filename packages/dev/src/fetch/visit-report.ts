// What is known of a fetched page, as data: what `--explain` puts into lines, and the document of `--json`.
import type { CrawlConfig, Json, Page, Plugin } from '@avocet/core'
import { headerOf, parseUrl, type ResponseHeaders } from '@avocet/core/plugin'
import type { TimeLimits } from '@avocet/core/store'
import { withoutCredentials } from '@avocet/plugin-secrets/names'
import { pageOf } from '@avocet/page'
import { decidingRule, parseRobots } from '@avocet/plugin-robots'
import { withoutSecrets } from '@avocet/project/place'
import { holdAsJson, type HoldAsJson } from '@avocet/project/plan'
import { lastOf, redirectOf, type Hop } from './visit-log.ts'
import { nextHopOf, problemOf } from './visit-outcome.ts'
import type { Visit } from './visitor.ts'

/** One exchange. Durations in ms. */
export interface HopReport {
  readonly url: string
  /** `page`, or a document that a plugin wanted first. */
  readonly for: 'page' | 'plugin'
  /** Absent when it failed: then `failed` says why. */
  readonly status?: number
  readonly failed?: string
  readonly location?: string
  readonly connectMs?: number
  readonly firstByteMs?: number
  readonly bodyMs?: number
  readonly address?: string
}

/** What is known of it. */
export interface VisitReport {
  readonly url: string
  /** After redirects. */
  readonly finalUrl: string
  readonly outcome: string
  /** What keeps it from a handler, in one line; absent when nothing does. */
  readonly problem?: string
  /** What a crawl would do with it. */
  readonly next: string
  readonly robots?: { readonly allowed: boolean; readonly rule?: string }
  readonly hops: readonly HopReport[]
  /** When the response was kept that this is about (epoch ms); absent when the page was requested. */
  readonly keptAt?: number
  readonly status?: number
  readonly headers?: ResponseHeaders
  readonly sentHeaders?: Readonly<Record<string, string>>
  readonly contentType?: string
  readonly charset?: string
  readonly coding?: string
  readonly wireBytes?: number
  readonly decodedBytes?: number
  readonly limits?: TimeLimits
  readonly hostKey?: string
  /** What holds the host for its next page. */
  readonly holds: readonly HoldAsJson[]
  /** By the name of a plugin: the policy that it implements. */
  readonly policyOf: Readonly<Record<string, Plugin['policy']>>
  /** What each plugin knows of the host, by its name. */
  readonly policies: Readonly<Record<string, Readonly<Record<string, Json>>>>
}

/** The page that was answered last, whatever its status; undefined when there was no answer. */
export function lastPage({ hops }: Pick<Visit, 'hops'>, { userAgent }: CrawlConfig): Page | undefined {
  const last = lastOf(hops)
  return last?.end.kind === 'answered' ? pageOf({ ...last, response: last.end.response, userAgent }) : undefined
}

/** Puts it together. */
export function visitReport(visit: Visit, page: Page | undefined): VisitReport {
  const { url, hops, outcome, host, now } = visit
  const last = lastOf(hops)
  const finalUrl = last?.request.url ?? url
  const rule = host && robotsRule(host.memory, outcome.kind === 'robots' ? (lastTarget(hops) ?? url) : finalUrl)
  const isAllowed = outcome.kind !== 'robots'
  const agreed = rule?.allows === isAllowed ? rule.line : undefined
  const problem = problemOf(outcome, { now, rule: agreed })
  const knowsRobots = outcome.kind === 'robots' || (Object.values(visit.policyOf).includes('robots') && last !== undefined)
  return {
    url,
    finalUrl,
    outcome: outcome.kind,
    ...(problem !== undefined && { problem }),
    next: nextHopOf(outcome, now),
    ...(knowsRobots && { robots: { allowed: isAllowed, ...(agreed !== undefined && { rule: agreed }) } }),
    hops: hops.map(hopReport),
    ...(page && answerOf(page)),
    ...(last?.sentHeaders && { sentHeaders: withoutSecrets(last.sentHeaders) }),
    ...(last?.limits && { limits: last.limits }),
    ...(host && { hostKey: host.hostKey }),
    holds: (host?.holds ?? []).map(holdAsJson),
    policyOf: visit.policyOf,
    policies: host?.values ?? {},
  }
}

/** Of a page that a crawl kept: nothing was asked. `url`: as it was asked for. */
export function keptReport(url: string, page: Page, fetchedAt: number): VisitReport {
  const asked = { hops: [], holds: [], policyOf: {}, policies: {} }
  const outcome = { kind: 'page', status: page.response.status } as const
  const next = nextHopOf(outcome, fetchedAt)
  return { ...asked, url, finalUrl: page.request.url, outcome: outcome.kind, next, keptAt: fetchedAt, ...answerOf(page) }
}

/** Of a page that is not kept, where nothing may be requested. */
export function notKeptReport(url: string, why: string): VisitReport {
  const outcome = { kind: 'unasked', reason: why } as const
  const asked = { hops: [], holds: [], policyOf: {}, policies: {} }
  const problem = `expected a kept response of ${url}, but ${why}`
  return { ...asked, url, finalUrl: url, outcome: outcome.kind, problem, next: nextHopOf(outcome, 0) }
}

/** Where the last redirect led. */
function lastTarget(hops: readonly Hop[]): string | undefined {
  const last = lastOf(hops)
  const location = last && redirectOf(last)
  const target = location === undefined ? undefined : parseUrl(location, last?.request.url)
  return target === undefined ? undefined : withoutCredentials(target)
}

function answerOf({ response, contentType, charset }: Page): Partial<VisitReport> {
  const { status, headers, wireBytes, body } = response
  const coding = headerOf(headers, 'content-encoding')
  return {
    status,
    headers,
    contentType,
    charset,
    ...(coding !== undefined && { coding }),
    wireBytes,
    decodedBytes: body.byteLength,
  }
}

function hopReport(hop: Hop): HopReport {
  const { request, required, end } = hop
  const location = redirectOf(hop)
  const timings = end.kind === 'answered' ? end.response.timings : (end.failure.timings ?? {})
  const { connectMs, firstByteMs, bodyMs } = timings
  const address = end.kind === 'answered' ? end.response.remoteAddress : undefined
  return {
    url: request.url,
    for: required ? 'plugin' : 'page',
    ...(end.kind === 'answered' ? { status: end.response.status } : { failed: end.failure.code }),
    ...(location !== undefined && { location }),
    ...(connectMs !== undefined && { connectMs: tenth(connectMs) }),
    ...(firstByteMs !== undefined && { firstByteMs: tenth(firstByteMs) }),
    ...(bodyMs !== undefined && { bodyMs: tenth(bodyMs) }),
    ...(address !== undefined && { address }),
  }
}

function tenth(ms: number): number {
  return Math.round(ms * 10) / 10
}

/** `Disallow: /cart`; undefined when no line is about `url`, or when nothing is kept. `memory`: of a host, at rest. */
export function robotsRule(
  memory: Readonly<Record<string, string>>,
  url: string,
): { readonly allows: boolean; readonly line: string } | undefined {
  const kept = memory[`#robots ${new URL(url).origin}`]
  // What is kept is what concerns us, for everybody to read.
  const rule = kept === undefined ? undefined : decidingRule(parseRobots(kept), '*', url)
  return rule && { allows: rule.allow, line: `${rule.allow ? 'Allow' : 'Disallow'}: ${rule.pattern}` }
}
