// Signed requests in whole crawls: every exchange has a signature of its own, for the site that it goes to.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definePlugin, type CrawlConfig } from 'avocet'
import { signature } from '@avocet/plugin-signature'
import { newKey, readKeys } from '@avocet/plugin-signature/identity'
import { retry } from '@avocet/plugin-retry'
import { robots } from '@avocet/plugin-robots'
import { VirtualClock } from '@avocet/simulator'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { pathSpider, run, type Ran } from './harness.ts'
import type { Answer } from './scripted-web.ts'

const AGENT = 'https://bot.example'
const NOW = Date.UTC(2026, 0, 1)
let folder: string
let secret: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'avocet-signed-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A key in the folder. Returns its thumbprint. */
function key(name: string, more: object = {}): string {
  const { text, keyid } = newKey(0)
  const jwk = { ...(JSON.parse(text) as { readonly d: string }), ...more }
  secret = jwk.d
  writeFileSync(join(folder, name), JSON.stringify(jwk), { mode: 0o600 })
  return keyid
}

const crawled = (script: Readonly<Record<string, Answer | readonly Answer[]>>, config: Partial<CrawlConfig> = {}): Promise<Ran> =>
  run(script, {
    spider: pathSpider(Object.keys(script).slice(0, 1), { scope: { within: 'any' } }),
    plugins: [signature({ key: folder, agent: AGENT })],
    clock: new VirtualClock({ startAt: NOW }),
    ...config,
  })

/** `URL` of each request whose signature holds for its own site, `URL unsigned`, or `URL wrong`. */
const checked = ({ seen }: Ran): string[] =>
  seen.map(({ outbound: { url, headers } }) => {
    const { signature: given = '', 'signature-input': input = '', 'signature-agent': agent } = headers
    if (agent === undefined) return `${url} unsigned`
    const [, parameters = ''] = /^sig1=(.*)$/.exec(input) ?? []
    const base = `"@authority": ${new URL(url).host}\n"signature-agent";key="sig1": "${AGENT}"\n"@signature-params": ${parameters}`
    const keys = readKeys(folder).filter(({ keyid }) => input.includes(keyid))
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: keys[0]?.x ?? '' }
    const bytes = Buffer.from(/^sig1=:(.*):$/.exec(given)?.[1] ?? '', 'base64')
    const holds = verify(null, Buffer.from(base), createPublicKey({ key: jwk, format: 'jwk' }), bytes)
    return holds && agent === `sig1="${AGENT}"` ? url : `${url} wrong`
  })
const nonces = ({ seen }: Ran): string[] =>
  seen.map(({ outbound }) => /nonce="([^"]*)"/.exec(outbound.headers['signature-input'] ?? '')?.[1] ?? '')

describe('a signed crawl', () => {
  it('signs robots.txt, pages, retries, and each hop of a redirect, each anew and for its own site', async () => {
    key('a')
    const ran = await crawled(
      {
        'https://a.test/': { status: 302, headers: { location: 'https://b.test:8443/moved' } },
        'https://b.test:8443/moved': [
          { status: 503, headers: { 'retry-after': '1' } },
          { status: 302, headers: { location: 'https://a.test/end' } },
        ],
        'https://a.test/end': {},
      },
      { policies: [robots(), retry()] },
    )

    expect(checked(ran)).toEqual([
      'https://a.test/robots.txt',
      'https://a.test/',
      'https://b.test:8443/robots.txt',
      'https://b.test:8443/moved',
      'https://b.test:8443/moved',
      'https://a.test/end',
    ])
    expect(new Set(nonces(ran)).size).toBe(6)
    expect(nonces(ran).map((nonce) => Buffer.from(nonce, 'base64').length)).toEqual([64, 64, 64, 64, 64, 64])
  })

  it('names the agent as a string where it is told to', async () => {
    key('a')
    const ran = await crawled(
      { 'https://a.test/': {} },
      { plugins: [signature({ key: folder, agent: `${AGENT}/`, agentForm: 'string' })] },
    )

    expect(ran.seen[0]?.outbound.headers['signature-agent']).toBe(`"${AGENT}"`)
  })

  it('signs with the newest key as soon as it begins, without a restart', async () => {
    const old = key('a')
    const next = key('b', { nbf: NOW / 1_000 + 60 })

    const ran = await crawled(
      { 'https://a.test/': [{ status: 503, headers: { 'retry-after': '60' } }, {}] },
      { policies: [retry()] },
    )

    const ids = ran.seen.map(({ outbound }) => /keyid="([^"]*)"/.exec(outbound.headers['signature-input'] ?? '')?.[1])
    expect(ids).toEqual([old, next])
  })

  it('goes on unsigned, and says so, when the last key has ended', async () => {
    key('a', { exp: NOW / 1_000 + 30 })
    const ran = await crawled(
      { 'https://a.test/': [{ status: 503, headers: { 'retry-after': '60' } }, {}] },
      { policies: [retry()] },
    )

    expect(checked(ran)).toEqual(['https://a.test/', 'https://a.test/ unsigned'])
    expect(ran.report.problems.map(({ message }) => message)).toEqual([
      'signature: no key is valid any more, so requests are not signed; avocet identity key makes a new one',
    ])
  })

  it('does not begin without a valid key', async () => {
    key('a', { exp: NOW / 1_000 })

    await expect(crawled({ 'https://a.test/': {} })).rejects.toMatchObject({
      code: 'AVO_PLUGIN_OPEN',
      message: 'plugin signature could not open: expected a key that is valid now, got none; avocet identity key makes a new one',
    })
  })

  it('has its nonces from the chance that it is given', async () => {
    key('a')
    let nth = 0
    const random = (bytes: number): Uint8Array => createHash('sha512').update(String(nth++)).digest().subarray(0, bytes)
    const plugins = [signature({ key: folder, agent: AGENT }, random)]

    const ran = await crawled({ 'https://a.test/': {} }, { plugins })

    expect(nonces(ran)).toEqual([createHash('sha512').update('0').digest('base64')])
  })

  it('keeps the private key from traces, the store and the report', async () => {
    key('a')
    const traced: unknown[] = []
    const listening = definePlugin({ name: 'listening', onTrace: (event) => void traced.push(event) })

    const { report, frontier } = await crawled(
      { 'https://a.test/': {} },
      { plugins: [signature({ key: folder, agent: AGENT }), listening] },
    )

    const kept = JSON.stringify([traced, report, await frontier.reader.info(), await frontier.reader.hosts({ limit: 10 })])
    expect(kept).toContain('a.test')
    expect(kept).not.toContain(secret)
  })
})
