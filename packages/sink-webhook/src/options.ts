// The options of the sink, and their check. Neither the check nor what it returns for reports quotes a URL, a header or a secret.
import { createHash, createHmac } from 'node:crypto'
import { AvocetError, type Json } from '@avocet/core'
import { checkOptions, option, type OptionRule, type OptionRules } from '@avocet/core/plugin'
import type { SinkItem, SinkLimits } from '@avocet/core/sink'

/** Options of `webhook`. */
export interface WebhookOptions<Item = Json> {
  /** Where to post: an http(s) URL. It may hold a secret (`…/hooks/T0AB/xyz`), so reports have its origin only. */
  readonly url: string
  /**
   * Signs each request: `whsec_` and 24 to 64 bytes in base64, as from `echo whsec_$(openssl rand -base64 32)`. Several, to change one: the receiver accepts
   * any. Default: the environment variable `AVOCET_WEBHOOK_SECRET`; without it, requests are not signed.
   */
  readonly secret?: string | readonly string[]
  /** Header fields of each request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * What to post: by default an object with `type`, `crawl` and `items`, each with `key`, `url` and `item`; `'array'` for a list of the items alone; or JSON
   * of your own. Pure: the same items may be asked for again.
   */
  readonly body?: 'array' | ((items: readonly SinkItem<Item>[]) => Json)
  /** Name of the sink: names its mark. Default `webhook:` and the origin of the URL. */
  readonly name?: string
  /** Which items are posted. Default: all. */
  readonly filter?: (item: SinkItem<Item>) => boolean
  /** Posts changes of watched items (`ItemChange`) instead of items: an object with `type`, `crawl` and `changes`. */
  readonly changes?: boolean
  /** Limits of the requests. Default: 100 items and 64 KiB, because many servers refuse more than 100 kB, and 30 s. */
  readonly limits?: Partial<SinkLimits>
}

/** What the parts of the sink need of them. */
export interface Receiver<Item> {
  readonly url: URL
  /** Keys of the signatures. */
  readonly keys: readonly Buffer[]
  readonly headers: Headers
  readonly body: WebhookOptions<Item>['body']
  readonly limits: Partial<SinkLimits>
  /** Texts that no message may quote. */
  readonly secrets: readonly string[]
}

/** Says nothing of what it got: what is no object may be a field. */
const HEADERS: OptionRule = {
  expected: 'an object of texts',
  problem: (value, path) =>
    isTable(value) ? undefined : `expected ${path} to be ${HEADERS.expected}; what came is not shown here`,
}
const RULES: OptionRules<WebhookOptions> = {
  // What they say when they are wrong would quote them.
  url: option.satisfying('a text', (value) => typeof value === 'string' || value instanceof URL),
  secret: option.either(
    option.satisfying('a text', (value) => typeof value === 'string'),
    option.listOf(option.nonEmptyText),
  ),
  headers: HEADERS,
  body: option.either(option.oneOf('array'), option.callback),
  name: option.nonEmptyText,
  filter: option.callback,
  changes: option.flag,
  // The crawl checks what is in it.
  limits: option.anyObject,
}

function isTable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.values(value).every((text) => typeof text === 'string')
}

/** Fields that say how the body is framed, or that it is ours. */
const OURS = /^(?:webhook-.*|idempotency-key|content-type|content-length|transfer-encoding|connection|host)$/i

/** Fills in the defaults. Throws AVO_CONFIG_INVALID. */
export function webhookReceiver<Item>(options: WebhookOptions<Item>): Receiver<Item> {
  checkOptions('webhook', options, RULES)
  const { headers = {}, body, limits } = options
  const { AVOCET_WEBHOOK_SECRET } = process.env
  const secrets = [options.secret ?? AVOCET_WEBHOOK_SECRET ?? []].flat()
  const taken = Object.keys(headers).find((name) => OURS.test(name))
  if (taken !== undefined)
    throw new AvocetError('AVO_CONFIG_INVALID', `expected webhook: headers without ${taken}, which the sink sets itself`)
  const url = checkedUrl(options.url)
  const sent = checkedHeaders(headers, url)
  return {
    url: withoutCredentials(url),
    keys: secrets.map(signingKey),
    headers: sent,
    body,
    limits: { maxItems: 100, maxBytes: 65_536, timeoutMs: 30_000, ...limits },
    secrets: unquotable([...secrets, ...[...sent.values()].flatMap(partsOfField), ...partsOfUrl(url)]),
  }
}

/** The longest first, so that no rest of one stays behind a part of it. What is shorter is found in texts that are no secret. */
function unquotable(secrets: readonly string[]): readonly string[] {
  return [...new Set(secrets)].filter(({ length }) => length > 5).toSorted((a, b) => b.length - a.length)
}

/** A receiver may repeat a field, or only the token behind the word for its kind, or the user and password that are in it. */
function partsOfField(field: string): readonly string[] {
  const words = field.split(/[\s,;]+/).flatMap((word) => [word, ...word.split('=')])
  const parts = words.filter((word) => !/^(?:basic|bearer|digest|apikey|token)$/i.test(word))
  const basic = /^basic\s+(\S+)/i.exec(field)?.[1]
  if (basic === undefined) return [field, ...parts]
  const user = Buffer.from(basic, 'base64').toString()
  return [field, ...parts, user, user.slice(user.indexOf(':') + 1)]
}

/** As it is sent, and as a receiver that has decoded it would say it. */
function partsOfUrl({ pathname, search, searchParams, password }: URL): readonly string[] {
  const parts = [pathname + search, search.slice(1), ...pathname.split('/'), password]
  return [...parts, ...parts.flatMap(decoded), ...searchParams.values()]
}

function decoded(text: string): readonly string[] {
  try {
    return [decodeURIComponent(text)]
  } catch {
    return []
  }
}

function checkedUrl(given: string): URL {
  const url = URL.parse(given)
  if (url !== null && /^https?:$/.test(url.protocol)) return url
  throw new AvocetError(
    'AVO_CONFIG_INVALID',
    'expected webhook: url to be an http(s) URL; it is not shown here, because it may hold a secret',
  )
}

function withoutCredentials(url: URL): URL {
  const bare = new URL(url)
  bare.username = bare.password = bare.hash = ''
  return bare
}

/** User and password of the URL are sent as HTTP means them, for `fetch` takes none in a URL. */
function checkedHeaders(given: Readonly<Record<string, string>>, { username, password }: URL): Headers {
  try {
    const headers = new Headers(given)
    if (username + password !== '' && !headers.has('authorization')) {
      const user = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
      headers.set('authorization', `Basic ${user}`)
    }
    return headers
  } catch {
    throw new AvocetError(
      'AVO_CONFIG_INVALID',
      'expected webhook: headers with names and values that HTTP allows; none is shown here',
    )
  }
}

// Signatures of requests, by the convention of Standard Webhooks: HMAC-SHA256 over id, time and body.
//
// Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md

/** The bytes of a secret. Throws AVO_CONFIG_INVALID, without quoting it. */
function signingKey(secret: string): Buffer {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? []
  const key = Buffer.from(base64, 'base64')
  if (key.length >= 24 && key.length <= 64) return key
  throw new AvocetError(
    'AVO_CONFIG_INVALID',
    'expected webhook: secret to be whsec_ and 24 to 64 bytes in base64, got something else; make one with: echo whsec_$(openssl rand -base64 32)',
  )
}

/** What identifies the request in all tries: the same for the same items of the same crawl. */
export function idOf(sender: { readonly crawl: string; readonly sink: string }, keys: readonly string[]): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([sender.crawl, sender.sink, keys]))
    .digest('base64url')
  return `msg_${hash.slice(0, 32)}`
}

/** `webhook-id`, `webhook-timestamp` (seconds) and, with at least one key, `webhook-signature`. */
export function signed(
  keys: readonly Buffer[],
  { id, now, body }: { readonly id: string; readonly now: number; readonly body: string },
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1_000))
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  }
}
