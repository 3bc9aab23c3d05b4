// Reads a model from what a file says: JSON that may be anything. What is wrong is named by its path, with what was expected there.
import { AvocetError } from '@avocet/core'
import type { ModelSpec } from './host-spec.ts'
import { siteModel, type SiteModel } from './site-model.ts'

/** Throws when `value` is not what is expected at `path`. */
type Rule = (value: unknown, path: string) => void

/** Rules by key; a key that ends with `?` may be absent. */
type Rules = Readonly<Record<string, Rule>>

const text: Rule = (value, path) => demand(typeof value === 'string' && value !== '', 'a text', { value, path })

function number(least: number, most: number = Number.MAX_VALUE): Rule {
  const expected =
    most === Number.MAX_VALUE ? `a number of at least ${String(least)}` : `a number from ${String(least)} to ${String(most)}`
  return (value, path) => demand(typeof value === 'number' && value >= least && value <= most, expected, { value, path })
}

function whole(least: number): Rule {
  return (value, path) =>
    demand(Number.isSafeInteger(value) && Number(value) >= least, `a whole number of at least ${String(least)}`, { value, path })
}

function oneOf(...words: readonly (string | number)[]): Rule {
  return (value, path) => demand((words as readonly unknown[]).includes(value), words.join(' | '), { value, path })
}

function either(first: Rule, word: string): Rule {
  return (value, path) => (value === word ? undefined : first(value, path))
}

function list(rule: Rule): Rule {
  return (value, path) => {
    if (!Array.isArray(value)) return demand(false, 'a list', { value, path })
    for (const [n, entry] of value.entries()) rule(entry, `${path}[${String(n)}]`)
  }
}

function record(rules: Rules): Rule {
  const known = new Set(Object.keys(rules).map((key) => key.replace('?', '')))
  return (value, path) => {
    const fields = fieldsOf(value, path)
    for (const key of Object.keys(fields)) demand(known.has(key), `one of ${[...known].join(', ')}`, { value: key, path })
    for (const [key, rule] of Object.entries(rules)) {
      const name = key.replace('?', '')
      if (fields[name] !== undefined || name === key) rule(fields[name], path === '' ? name : `${path}.${name}`)
    }
  }
}

/** Records of several kinds, told apart by the field `tag`. */
function tagged(tag: string, kinds: Readonly<Record<string, Rules>>): Rule {
  const tagRule = oneOf(...Object.keys(kinds))
  const rules = new Map(Object.entries(kinds).map(([kind, fields]) => [kind, record({ [tag]: tagRule, ...fields })]))
  return (value, path) => {
    const kind = fieldsOf(value, path)[tag]
    const rule = rules.get(String(kind))
    if (rule === undefined) return tagRule(kind, `${path}.${tag}`)
    rule(value, path)
  }
}

function fieldsOf(value: unknown, path: string): Readonly<Record<string, unknown>> {
  demand(typeof value === 'object' && value !== null && !Array.isArray(value), 'an object', { value, path })
  return value as Readonly<Record<string, unknown>>
}

function demand(holds: boolean, expected: string, { value, path }: { value: unknown; path: string }): void {
  if (holds) return
  const got = value === undefined ? 'nothing' : JSON.stringify(value)
  throw new AvocetError(
    'AVO_CONFIG_INVALID',
    `model${path === '' ? '' : ` at ${path}`}: expected ${expected}, got ${got.slice(0, 80)}`,
  )
}

const ms = number(0)
const count = whole(0)
const ratio = number(0, 1)
const death = oneOf(
  ...[
    'refuse',
    'blackhole',
    'dns-not-found',
    'dns-failed',
    'no-route',
    'tls-certificate',
    'hang',
    'reset',
    'stall',
    'drip',
    'truncate',
    'endless',
  ],
)
const time: Rules = { fromMs: ms, 'untilMs?': ms }
const changes = list(record({ atMs: ms, factor: number(0) }))
const variation: Rules = { 'changes?': changes, 'wave?': record({ ratio, periodMs: number(1) }) }
const extras = record({ 'redirects?': count, 'missing?': count, 'documents?': count })
const rate: Rules = { perSecond: number(1e-6), burst: number(1) }
const quota: Rules = { requests: whole(1), seconds: number(0.001) }

const host = record({
  name: text,
  pages: tagged('kind', {
    tree: { pages: whole(1), 'branching?': whole(1), 'crossLinks?': count, 'textBytes?': count, 'extras?': extras },
    shop: {
      products: count,
      'categories?': whole(1),
      'perPage?': whole(1),
      'extras?': extras,
      'layout?': oneOf('classes', 'microdata', 'json-ld'),
      'prices?': record({ everyMs: number(1), ratio, 'validator?': oneOf('etag', 'last-modified', 'none') }),
    },
    quotes: { quotes: count, 'perPage?': whole(1), 'extras?': extras },
    list: { pages: count, 'textBytes?': count },
    plain: { pages: whole(1), 'branching?': whole(1) },
    directory: { lists: list(record({ host: text, 'fromMs?': ms })) },
  }),
  'latency?': tagged('law', {
    fixed: { ms },
    uniform: { minMs: ms, maxMs: ms },
    lognormal: { medianMs: ms, spread: number(0) },
  }),
  'latencyChanges?': changes,
  'capacity?': tagged('law', {
    bucket: { ...rate, ...variation },
    penalising: { ...rate, 'floor?': number(0), ...variation },
    window: quota,
    sliding: quota,
    servers: { servers: whole(1), ...variation },
  }),
  'refusal?': record({
    status: oneOf(429, 503),
    'retryAfter?': oneOf('seconds', 'date'),
    'retryAfterSeconds?': number(0),
    'latencyMs?': either(ms, 'as-served'),
  }),
  'refuseRatio?': ratio,
  'ban?': record({ requests: whole(1), windowSeconds: number(0.001), banSeconds: number(0), 'status?': whole(400) }),
  'rateLimitFields?': oneOf('draft', 'legacy', 'x', 'lying'),
  'death?': death,
  'outages?': list(record({ style: death, ...time })),
  'flapping?': record({ style: death, periodMs: number(1), downRatio: ratio }),
  'missing?': list(record({ ...time, 'status?': oneOf(404, 410), 'under?': text })),
  'moves?': list(record({ ...time, 'status?': oneOf(301, 302, 307, 308), to: text })),
  'closures?': list(record({ fromMs: ms, untilMs: ms, 'status?': oneOf(429, 503), 'retryAfter?': oneOf('seconds', 'date') })),
  'bytesPerSecond?': number(1),
  'robots?': record({
    'body?': (value, path) => demand(typeof value === 'string', 'a text', { value, path }),
    'status?': whole(200),
  }),
})

const model = record({
  seed: text,
  hosts: list(host),
  'clientOutages?': list(
    record({ style: oneOf('unreachable', 'no-route', 'blackhole', 'certificate'), fromMs: ms, untilMs: ms }),
  ),
  'seedOrder?': oneOf('clustered', 'shuffled'),
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
  model(json, '')
  return siteModel(json as ModelSpec)
}
