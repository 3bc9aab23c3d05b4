// Which key signs, what is published of keys, and what is wrong with a key file, in one clear line.
import { createPublicKey, generateKeyPairSync, hash, type JsonWebKey } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createVerifier, httpbis, type VerifyConfig } from 'http-message-signatures'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newKey, publishedIdentity, type Published } from '../src/identity.ts'
import { signature } from '../src/index.ts'
import { keyAt, readKeys } from '../src/keys.ts'

const DAY = 86_400_000
const DIRECTORY = '/.well-known/http-message-signatures-directory'
const CARD = '/.well-known/signature-agent-card'
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'avocet-keys-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function put(name: string, text: string, mode = 0o600): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

/** Puts a new key there. Returns its thumbprint. */
function key(name: string, startsAt: number, exp?: number): string {
  const { text, keyid } = newKey(startsAt)
  put(name, JSON.stringify({ ...(JSON.parse(text) as object), ...(exp !== undefined && { exp: exp / 1_000 }) }))
  return keyid
}

describe('keys', () => {
  it('of a folder sign in turn: the newest that has begun and not ended', () => {
    const [first, second, third] = [key('b', 0, 30 * DAY), key('a', 10 * DAY), key('c', 20 * DAY, 25 * DAY)]

    const keys = readKeys(folder)

    const at = [0, 9, 10, 19, 20, 24, 25, 40].map((day) => keyAt(keys, day * DAY)?.keyid)
    expect(at).toEqual([first, first, second, second, third, third, second, second])
  })

  it('are none before the first begins', () => {
    key('a', DAY)

    expect(keyAt(readKeys(folder), 0)).toBeUndefined()
  })

  it('show nothing of themselves to JSON', () => {
    const { text } = newKey(0)
    const { d } = JSON.parse(text) as { readonly d: string }

    const plugin = signature({ key: put('key', text), agent: 'https://bot.example' })

    expect(JSON.stringify([readKeys(folder), plugin])).not.toContain(d)
  })
})

describe('what is published', () => {
  const parsed = ({ files }: Published, path: string): unknown => JSON.parse(files[path] ?? '')
  const described = {
    agent: 'https://bot.example',
    userAgent: 'price-watch/1.0 (+https://example.org/crawler)',
    token: 'price-watch',
    obeysRobots: true,
    maxRps: 10,
  }

  it('lists the public part of every key that is valid, or will be', () => {
    const [old, next] = [key('a', 0), key('b', 10 * DAY, 20 * DAY)]
    key('c', 0, 4 * DAY)

    const published = publishedIdentity(described, readKeys(folder), 5 * DAY)

    const x = (id: string): unknown => readKeys(folder).find(({ keyid }) => keyid === id)?.x
    const shape = { kty: 'OKP', crv: 'Ed25519', use: 'sig' }
    expect(parsed(published, DIRECTORY)).toEqual({
      keys: [
        { ...shape, kid: next, x: x(next), nbf: 864_000, exp: 1_728_000 },
        { ...shape, kid: old, x: x(old) },
      ],
    })
  })

  it('proves with a signature of each key that the site has it, as a verifier by other hands finds', async () => {
    key('a', 0)
    key('b', 10 * DAY)

    const { files, fields } = publishedIdentity(described, readKeys(folder), Date.now())

    const { keys } = JSON.parse(files[DIRECTORY] ?? '') as { readonly keys: readonly (JsonWebKey & { readonly kid: string })[] }
    const seen: unknown[] = []
    const config: VerifyConfig = {
      keyLookup({ keyid = '', tag }) {
        seen.push([keyid, tag])
        const jwk = keys.find(({ kid }) => kid === keyid) ?? {}
        return Promise.resolve({ verify: createVerifier(createPublicKey({ key: jwk, format: 'jwk' }), 'ed25519') })
      },
      requiredFields: ['@authority', 'content-digest'],
      requiredParams: ['created', 'expires', 'keyid'],
      all: true,
    }
    const from = (site: string): Promise<boolean | null> =>
      httpbis.verifyMessage(config, { status: 200, headers: fields }, { method: 'GET', url: site + DIRECTORY, headers: {} })
    expect(await from('https://bot.example')).toBe(true)
    expect(await from('https://other.example').catch(() => false)).toBe(false)
    expect(seen.slice(0, 2)).toEqual(keys.map(({ kid }) => [kid, 'http-message-signatures-directory']))
    expect(fields['Content-Digest']).toBe(`sha-256=:${hash('sha256', files[DIRECTORY] ?? '', 'base64')}:`)
  })

  it('says who the crawler is', () => {
    const more = { contact: 'mailto:bot@example.org', purpose: 'search' }

    const published = publishedIdentity({ ...described, ...more }, [], 0)

    expect(parsed(published, CARD)).toEqual({
      client_id: 'https://bot.example/.well-known/signature-agent-card',
      jwks_uri: 'https://bot.example/.well-known/http-message-signatures-directory',
      client_name: 'price-watch',
      client_uri: 'https://example.org/crawler',
      contacts: ['mailto:bot@example.org'],
      web_bot_auth: {
        'expected-user-agent': 'price-watch/1.0 (+https://example.org/crawler)',
        'rfc9309-product-token': 'price-watch',
        'rfc9309-compliance': ['User-Agent', 'Allow', 'Disallow', 'Crawl-delay', 'Request-rate', 'Visit-time'],
        trigger: 'crawler',
        purpose: 'search',
        'rate-control': '429 and 503 with Retry-After; RateLimit fields; Crawl-delay and Request-rate in robots.txt',
        'rate-expectation': 'max=10rps per host',
      },
    })
  })

  it('is where the agent says', () => {
    const published = publishedIdentity({ ...described, agent: 'https://example.org/bots/keys.json' }, [], 0)

    expect(Object.keys(published.files)).toEqual(['/bots/keys.json', CARD])
    expect(parsed(published, CARD)).toMatchObject({ jwks_uri: 'https://example.org/bots/keys.json' })
  })
})

describe('what is wrong', () => {
  const problem = (key: string): string => {
    try {
      readKeys(key)
      return ''
    } catch (error) {
      return (error as Error).message.replaceAll(folder, 'PLACE')
    }
  }
  const rsa = (): object => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })

  it('is a key that others can read', () => {
    expect(problem(put('key', newKey(0).text, 0o640))).toBe(
      'signature: expected the private key PLACE/key to be readable by its owner alone, got mode 640; run chmod 600 PLACE/key',
    )
  })

  it('is a key that is not there, and a folder without one', () => {
    mkdirSync(join(folder, 'empty'))

    expect(problem(join(folder, 'key'))).toBe(
      'signature: expected a private key at PLACE/key, found no file; avocet identity key FILE makes one',
    )
    expect(problem(join(folder, 'empty'))).toBe(
      'signature: expected private keys in the folder PLACE/empty, found no file; avocet identity key FILE makes one',
    )
  })

  it.each([
    ['no JSON', (): string => 's3cret'],
    ['an RSA key', (): string => JSON.stringify(rsa())],
    ['a public key', (): string => newKey(0).text.replace(/"d": "[^"]*",/, '')],
    ['a time that is none', (): string => newKey(0).text.replace('"nbf": 0', '"nbf": "s3cret"')],
  ])('is %s, which is not quoted', (_what, text) => {
    expect(problem(put('key', text()))).toBe(
      'signature: expected PLACE/key to be a private Ed25519 key as a JWK, got something else; avocet identity key FILE makes one',
    )
  })

  it.each([
    'http://bot.example',
    'bot.example',
    'https://user:s3cret@bot.example',
    'https://bot.example/?a=b',
    'https://bot.example/bots/',
  ])('is the agent %s', (wrong) => {
    const path = put('key', newKey(0).text)

    expect(() => signature({ key: path, agent: wrong })).toThrow(
      `expected signature: agent to be the https URL of a site or of a file, without password and query, such as 'https://bot.example', got '${wrong.replace('user:s3cret@', '')}'`,
    )
  })
})
