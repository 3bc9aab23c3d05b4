// Header fields: what is read of them is plausible whatever they hold, and what was written by their rules is read as it was meant.
import * as fc from 'fast-check'
import assert from 'node:assert/strict'
import { MIMEType } from 'node:util'
import { contentTypeOf } from '../../../packages/page/src/markup/charset.ts'
import { parseRefresh, robotsDirectives } from '../../../packages/page/src/directives.ts'
import { codingsOf } from '../../../packages/fetcher-http/src/content-decoding.ts'
import { locationOf } from '../../../packages/core/src/url/host-key.ts'
import { faultOfHead, withFewerCookies } from '../../../packages/fetcher-http/src/response-head.ts'
import { quotasOf } from '../../../packages/plugin-aimd/src/signals/quotas-of.ts'
import { fieldMembers } from '../../../packages/plugin-aimd/src/signals/rate-limit.ts'
import { parseUrl } from '@avocet/core/plugin'
import { fieldsOf } from '../corpus.ts'
import { mutatedText } from '../mutated.ts'
import { property, type Property } from '../property.ts'
import { FIELD_TOKENS } from '../tokens.ts'

const NOW = Date.UTC(2027, 6, 15, 12)
const NO_BODY = new Uint8Array(0)
const field = (...names: readonly string[]): fc.Arbitrary<string> =>
  mutatedText({ files: names.flatMap(fieldsOf), tokens: FIELD_TOKENS }).map((text) => text.slice(0, 8_000))

const contentTypes = property(
  { name: 'content-type', what: 'a Content-Type is read as the platform reads it', runs: 4_000 },
  field('Content-Type').filter((text) => text.length <= 512),
  (text) => {
    const read = contentTypeOf(text, NO_BODY)
    assert.match(read.essence, /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+$/)
    const platform = mimeType(stripped(text))
    // Node goes on behind a quoted value, where the standard passes over all up to the semicolon.
    if (platform === undefined || /"(?:[^"\\]|\\.)*"\s*[^;\s]/.test(text)) return
    assert.equal(read.essence, platform.essence)
    assert.equal(read.charset ?? null, platform.params.get('charset'))
  },
)

/** As the standard begins: Node keeps the space at the end of a quoted value that is not closed. Source: MIME Sniffing Standard §4.4. */
function stripped(text: string): string {
  return text.replaceAll(/^[\t\n\r ]+|[\t\n\r ]+$/g, '')
}

function mimeType(text: string): MIMEType | undefined {
  try {
    return new MIMEType(text)
  } catch {
    return undefined
  }
}

const number = fc.oneof(fc.integer({ min: 0, max: 10_000 }), fc.constantFrom(0, 1, 2_678_400, 999_999))
const quota = fc.record({
  name: fc.stringMatching(/^[a-z"\\ ]{1,5}$/),
  limit: number,
  windowSeconds: number,
  remaining: number,
  resetSeconds: number,
})

const written = property(
  { name: 'rate-limit-written', what: 'limits that are written as the draft says are read as they are meant', runs: 2_000 },
  fc.uniqueArray(quota, { minLength: 1, maxLength: 4, selector: ({ name }) => name }),
  (all) => {
    const quoted = (name: string): string => `"${name.replaceAll(/["\\]/g, '\\$&')}"`
    const ratelimit = all
      .map(({ name, remaining, resetSeconds }) => `${quoted(name)};r=${String(remaining)};t=${String(resetSeconds)}`)
      .join(', ')
    const policy = all.map(({ name, limit, windowSeconds }) => `${quoted(name)};q=${String(limit)};w=${String(windowSeconds)}`)
    const read = quotasOf({ ratelimit, 'ratelimit-policy': policy }, NOW)
    assert.deepEqual(read, {
      quotas: all.map(({ limit, windowSeconds, remaining, resetSeconds }) => ({
        unit: 'requests',
        limit,
        windowMs: windowSeconds * 1_000,
        remaining,
        resetMs: resetSeconds * 1_000,
      })),
      ignored: 0,
    })
  },
)

const limits = property(
  {
    name: 'rate-limit',
    what: 'whatever fields say of limits, what is read of them are counts and times that can be',
    runs: 4_000,
  },
  fc.record({
    ratelimit: field('RateLimit'),
    'ratelimit-policy': field('RateLimit-Policy'),
    'x-ratelimit-limit': field('X-RateLimit-Limit'),
    'x-ratelimit-remaining': field('X-RateLimit-Remaining'),
    'x-ratelimit-reset': field('X-RateLimit-Reset'),
    date: field('Date'),
  }),
  (headers) => {
    const read = quotasOf(headers, NOW)
    for (const { unit, ...numbers } of read?.quotas ?? []) {
      assert.ok(['requests', 'concurrent', 'else'].includes(unit))
      for (const [name, value] of Object.entries(numbers))
        assert.ok(Number.isFinite(value) && value >= 0, `${name}: ${String(value)}`)
    }
    for (const { value, parameters } of fieldMembers(headers.ratelimit) ?? []) {
      assert.ok(['string', 'number', 'boolean'].includes(typeof value))
      assert.equal(Object.getPrototypeOf(parameters) === Object.prototype && Object.keys(parameters).length > 0, false)
    }
  },
)

const others = property(
  { name: 'other-fields', what: 'whatever other fields say, what is read of them has its form', runs: 4_000 },
  fc.record({
    encoding: field('Content-Encoding'),
    tag: field('X-Robots-Tag'),
    refresh: field('Refresh'),
    location: field('Location'),
    cookies: fc.nat({ max: 600 }),
    length: field('Age'),
  }),
  ({ encoding, tag, refresh, location, cookies, length }) => {
    for (const coding of codingsOf(encoding))
      assert.ok(coding !== '' && coding === coding.toLowerCase().trim() && !coding.includes(','))
    const { noindex, nofollow } = robotsDirectives([tag], [tag])
    assert.ok(typeof noindex === 'boolean' && typeof nofollow === 'boolean')
    const read = parseRefresh(refresh)
    assert.ok(read === undefined || (read.delaySeconds >= 0 && read.delaySeconds <= 86_400 && read.href !== ''))
    const latin1 = Buffer.from(location).toString('latin1')
    assert.match(locationOf({ location: latin1 }), /^[\0-\x7f]*$/)
    const target = parseUrl(locationOf({ location: latin1 }), 'https://shop.example/')
    assert.ok(target === undefined || new URL(target).href === target)
    const head = {
      status: 200,
      headers: { 'set-cookie': Array.from({ length: cookies }, () => 'a=b'), 'content-length': length },
    }
    const fewer = withFewerCookies(head)
    assert.equal(fewer.headers['set-cookie']?.length ?? 0, Math.min(cookies, 500))
    const fault = faultOfHead(head, { fields: cookies + 1, rangeAsked: false })
    assert.equal(fault === undefined, /^\d{1,15}$/.test(length))
  },
)

/** All of this file. */
export const FIELD_PROPERTIES: readonly Property[] = [contentTypes, written, limits, others]
