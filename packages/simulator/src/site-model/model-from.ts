// Reads a model from what a file says: JSON that may be anything. What is wrong is named by its path, with what was expected there.
import { AvocetError } from '@avocet/core'
import { option, type OptionRule, type OptionRules } from '@avocet/core/plugin'
import type { CapacityLaw, Change, Wave } from './capacity-law.ts'
import type {
  ClientOutage,
  Closure,
  Extras,
  HostSpec,
  LatencyLaw,
  MissingPages,
  ModelSpec,
  Move,
  Outage,
  PagesSpec,
} from './host-spec.ts'
import { siteModel, type SiteModel } from './site-model.ts'

const { anyObject, anyText, atLeast, between, either, listOf, needed, nonEmptyText, oneOf, tableOf, wholeNumber } = option
const ms = atLeast(0)
const count = wholeNumber(0)
const ratio = between(0, 1)
const death = oneOf(
  ...['refuse', 'blackhole', 'dns-not-found', 'dns-failed', 'no-route', 'tls-certificate'],
  ...['hang', 'reset', 'stall', 'drip', 'truncate', 'endless'],
)
const changes = listOf(tableOf<Change>({ atMs: needed(ms), factor: needed(atLeast(0)) }))
const wave = tableOf<Wave>({ ratio: needed(ratio), periodMs: needed(atLeast(1)) })
const extras = tableOf<Extras>({ redirects: count, missing: count, documents: count })
const rate = { perSecond: needed(atLeast(1e-6)), burst: needed(atLeast(1)) }
const quota = { requests: needed(wholeNumber(1)), seconds: needed(atLeast(0.001)) }

const PAGES = tagged<PagesSpec, 'kind'>('kind', {
  tree: { pages: needed(wholeNumber(1)), branching: wholeNumber(1), crossLinks: count, textBytes: count, extras },
  shop: {
    products: needed(count),
    categories: wholeNumber(1),
    perPage: wholeNumber(1),
    extras,
    layout: oneOf('classes', 'microdata', 'json-ld'),
    listedBy: oneOf('links', 'sitemap'),
    prices: tableOf({ everyMs: needed(atLeast(1)), ratio: needed(ratio), validator: oneOf('etag', 'last-modified', 'none') }),
  },
  quotes: { quotes: needed(count), perPage: wholeNumber(1), extras },
  list: { pages: needed(count), textBytes: count },
  plain: { pages: needed(wholeNumber(1)), branching: wholeNumber(1) },
  directory: { lists: needed(listOf(tableOf({ host: needed(nonEmptyText), fromMs: ms }))) },
})

const HOST: OptionRules<HostSpec> = {
  name: needed(nonEmptyText),
  pages: needed(PAGES),
  latency: tagged<LatencyLaw, 'law'>('law', {
    fixed: { ms: needed(ms) },
    uniform: { minMs: needed(ms), maxMs: needed(ms) },
    lognormal: { medianMs: needed(ms), spread: needed(atLeast(0)) },
  }),
  latencyChanges: changes,
  capacity: tagged<CapacityLaw, 'law'>('law', {
    bucket: { ...rate, changes, wave },
    penalising: { ...rate, floor: atLeast(0), changes, wave },
    window: quota,
    sliding: quota,
    servers: { servers: needed(wholeNumber(1)), changes, wave },
  }),
  refusal: tableOf({
    status: needed(oneOf(429, 503)),
    retryAfter: oneOf('seconds', 'date'),
    retryAfterSeconds: atLeast(0),
    latencyMs: either(ms, oneOf('as-served')),
  }),
  refuseRatio: ratio,
  ban: tableOf({
    requests: needed(wholeNumber(1)),
    windowSeconds: needed(atLeast(0.001)),
    banSeconds: needed(atLeast(0)),
    status: wholeNumber(400),
  }),
  rateLimitFields: oneOf('draft', 'legacy', 'x', 'lying'),
  death,
  outages: listOf(tableOf<Outage>({ style: needed(death), fromMs: needed(ms), untilMs: ms })),
  flapping: tableOf({ style: needed(death), periodMs: needed(atLeast(1)), downRatio: needed(ratio) }),
  missing: listOf(
    tableOf<MissingPages>({ fromMs: needed(ms), untilMs: ms, status: between(200, 599), body: anyText, under: nonEmptyText }),
  ),
  moves: listOf(tableOf<Move>({ fromMs: needed(ms), untilMs: ms, status: oneOf(301, 302, 307, 308), to: needed(nonEmptyText) })),
  closures: listOf(
    tableOf<Closure>({ fromMs: needed(ms), untilMs: needed(ms), status: oneOf(429, 503), retryAfter: oneOf('seconds', 'date') }),
  ),
  bytesPerSecond: atLeast(1),
  robots: tableOf({ body: anyText, status: wholeNumber(200) }),
}

const MODEL = tableOf<ModelSpec>({
  seed: needed(nonEmptyText),
  hosts: needed(listOf(tableOf(HOST))),
  clientOutages: listOf(
    tableOf<ClientOutage>({
      style: needed(oneOf('unreachable', 'no-route', 'blackhole', 'certificate')),
      fromMs: needed(ms),
      untilMs: needed(ms),
    }),
  ),
  seedOrder: oneOf('clustered', 'shuffled'),
})

/**
 * Reads a model from parsed JSON: `{ seed, hosts: [{ name, pages, … }] }`, as `ModelSpec` describes it and `model.spec` gives it back.
 *
 * @throws AVO_CONFIG_INVALID naming the path of what is wrong and what was expected there.
 * @example
 * ```ts
 * const model = modelFrom(JSON.parse('{ "seed": "a", "hosts": [{ "name": "a.test", "pages": { "kind": "list", "pages": 2 } }] }'))
 * model.urls().length // 2
 * ```
 */
export function modelFrom(json: unknown): SiteModel {
  const problem = MODEL.problem(json, 'model')
  if (problem !== undefined) throw new AvocetError('AVO_CONFIG_INVALID', problem)
  return siteModel(json as ModelSpec)
}

/** Tables of several kinds, told apart by the field `tag`. */
function tagged<Spec extends object, Tag extends keyof Spec & string>(
  tag: Tag,
  kinds: { readonly [Kind in Spec[Tag] & string]: OptionRules<Omit<Extract<Spec, Readonly<Record<Tag, Kind>>>, Tag>> },
): OptionRule {
  const tagRule = needed(oneOf(...Object.keys(kinds)))
  const tables = new Map(Object.entries<object>(kinds).map(([kind, rules]) => [kind, tableOf({ [tag]: tagRule, ...rules })]))
  const problem = (value: unknown, path: string): string | undefined => {
    const notAnObject = anyObject.problem(value, path)
    if (notAnObject !== undefined) return notAnObject
    const kind = (value as Readonly<Record<string, unknown>>)[tag]
    const known = tables.get(String(kind))
    return known === undefined ? tagRule.problem(kind, `${path}.${tag}`) : known.problem(value, path)
  }
  return { expected: anyObject.expected, problem }
}
