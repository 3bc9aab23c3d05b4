// The identity of a crawler by the command, end to end on loopback: a key, the pages of its site, a crawl whose requests a verifier accepts.
import { once } from 'node:events'
import { createPublicKey } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createVerifier, httpbis } from 'http-message-signatures'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from './run-cli.ts'

const PLUGIN = join(import.meta.dirname, '../../plugin-signature/src/index.ts')
const AGENT = 'https://bot.example'
const DIRECTORY = 'public/.well-known/http-message-signatures-directory'

interface Jwk {
  readonly kid: string
  readonly x: string
  readonly d?: string
  readonly nbf: number
}

let folder: string
let server: Server
let site: string
let asked: IncomingMessage[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'avocet-identity-'))
  asked = []
  server = createServer((request, response) => {
    asked.push(request)
    response.writeHead(request.url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' })
    response.end('<title>tea</title><a href="/more">more</a>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterEach(async () => {
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
  rmSync(folder, { recursive: true })
})

/** A spider and a configuration that signs with this. */
function configured(key = 'keys', agent = AGENT, more = ''): void {
  const spider = `{ name: 'tea', seeds: ['${site}'], handlers: { *start(page) { yield { title: page.title }; yield* page.links() } } }`
  const plugins = `[signature({ key: '${join(folder, key)}', agent: '${agent}' })]`
  const hosts = `{ '*': { maxRps: 50 } }`
  const userAgent = 'price-watch/1.0 (+https://example.org/crawler)'
  writeFileSync(
    join(folder, 'avocet.config.ts'),
    `import { signature } from '${PLUGIN}'\nexport default { spider: ${spider}, userAgent: '${userAgent}', hosts: ${hosts}, plugins: ${plugins}${more} }\n`,
  )
}

const avocet = (...words: string[]): Promise<CliRun> => runCli(words, { folder })
const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
const jwkIn = (path: string): Jwk => JSON.parse(read(path)) as Jwk

describe('avocet identity key', () => {
  it('writes a key that only its owner can read, and prints its thumbprint', async () => {
    const { code, stdout, stderr } = await avocet('identity', 'key', 'keys/2026.json')

    const { kid, d } = jwkIn('keys/2026.json')
    expect([code, stdout, stderr]).toEqual([0, `${kid}\n`, 'written: keys/2026.json; keep it out of version control\n'])
    expect(statSync(join(folder, 'keys/2026.json')).mode & 0o777).toBe(0o600)
    expect(d).toMatch(/^[\w-]{43}$/)
  })

  it('says the same as JSON, of a key that begins in a week', async () => {
    const { stdout } = await avocet('identity', 'key', 'next.json', '--after', '7d', '--json')

    const { kid, nbf } = jwkIn('next.json')
    expect(JSON.parse(stdout)).toEqual({ schema: 1, path: 'next.json', keyid: kid })
    expect(nbf * 1_000 - statSync(join(folder, 'next.json')).mtimeMs).toBeCloseTo(7 * 86_400_000, -5)
  })

  it('overwrites no file', async () => {
    writeFileSync(join(folder, 'key.json'), 'mine')

    const { code, stderr } = await avocet('identity', 'key', 'key.json')

    expect([code, stderr]).toEqual([
      7,
      `avocet: identity: expected to write ${join(folder, 'key.json')}, got one that is there already; a new key needs a file of its own (AVO_OUTPUT_UNWRITABLE)\n`,
    ])
    expect(read('key.json')).toBe('mine')
  })
})

describe('avocet identity page', () => {
  it('writes the public keys, and who the crawler is by its configuration', async () => {
    await avocet('identity', 'key', 'keys/a.json')
    await avocet('identity', 'key', 'keys/b.json', '--after', '7d')
    configured()

    const words = ['identity', 'page', 'public', '--contact', 'bot@example.org', '--purpose', 'search']
    const { code, stdout, stderr } = await avocet(...words)
    const json = await avocet(...words, '--json')

    const directory = JSON.parse(read(DIRECTORY)) as { readonly keys: readonly Jwk[] }
    expect([code, stderr]).toEqual([
      0,
      `written: ${DIRECTORY}\nwritten: public/.well-known/signature-agent-card\nHave the server send these fields with /.well-known/http-message-signatures-directory:\n`,
    ])
    expect(stdout).toMatch(
      /^Content-Type: application\/http-message-signatures-directory\+json\nCache-Control: max-age=86400\nContent-Digest: sha-256=:.*:\nSignature-Input: sig1=.*, sig2=.*\nSignature: sig1=:.*:, sig2=:.*:\n$/,
    )
    expect(JSON.parse(json.stdout)).toMatchObject({ schema: 1, agent: AGENT, fields: { 'Cache-Control': 'max-age=86400' } })
    expect(directory.keys.map(({ kid, d }) => [kid, d])).toEqual(
      ['b', 'a'].map((name) => [jwkIn(`keys/${name}.json`).kid, undefined]),
    )
    expect(JSON.parse(read('public/.well-known/signature-agent-card'))).toMatchObject({
      client_id: `${AGENT}/.well-known/signature-agent-card`,
      client_name: 'price-watch',
      contacts: ['mailto:bot@example.org'],
      web_bot_auth: { 'rfc9309-product-token': 'price-watch', purpose: 'search', 'rate-expectation': 'max=50rps per host' },
    })
  })

  it.each([
    [
      'no signature()',
      ['page', 'public'],
      3,
      'expected signature() of @avocet/plugin-signature among the plugins of the configuration',
    ],
    [
      'a contact that is none',
      ['page', 'public', '--contact', 'me'],
      2,
      "identity --contact: expected an e-mail address or a URL, got 'me'",
    ],
    ['no folder', ['page'], 2, 'identity page: expected the folder of a web site, such as public, got nothing'],
    ['a folder that takes no files', ['key', '/proc/none/key.json'], 7, 'identity: expected to write /proc/none/key.json, got E'],
    ['no file', ['key'], 2, 'identity key: expected a file to write, such as keys/2026.json, got nothing'],
    ['another action', ['kee', 'a'], 2, "identity: expected key or page, got 'kee' (did you mean 'key'?)"],
  ])('refuses %s in one line', async (_what, words, expected, line) => {
    const { code, stderr } = await avocet('identity', ...words)

    expect([code, stderr.trimEnd().split('\n').length]).toEqual([expected, 1])
    expect(stderr).toContain(line)
  })
})

describe('a crawl with signature()', () => {
  it('sends what a verifier with the published page accepts, and keeps the private key to itself', async () => {
    await avocet('identity', 'key', 'keys/a.json')
    configured()
    await avocet('identity', 'page', 'public')
    const { keys } = JSON.parse(read(DIRECTORY)) as { readonly keys: readonly (Jwk & Readonly<Record<string, string>>)[] }

    const runs = [await avocet('crawl', '-O', 'tea.jsonl', '--log-format', 'json', '--log-level', 'debug')]
    for (const words of [['why', site], ['report', '--json'], ['check', '--values'], ['status', '--json'], ['hosts']])
      runs.push(await avocet(...words))

    const verdicts = asked.map(({ url = '', method = 'GET', headers }) => {
      const keyLookup = ({ keyid }: { keyid?: string }) => {
        const jwk = keys.find(({ kid }) => kid === keyid)
        const key = jwk && createPublicKey({ key: { ...jwk }, format: 'jwk' })
        return Promise.resolve(key ? { id: keyid ?? '', algs: ['ed25519'], verify: createVerifier(key, 'ed25519') } : null)
      }
      const message = { method, url: new URL(url, `http://${headers.host ?? ''}`), headers: headers as Record<string, string> }
      return httpbis.verifyMessage({ keyLookup, requiredFields: ['@authority', 'signature-agent'] }, message)
    })
    expect(asked.map(({ url }) => url)).toEqual(['/robots.txt', '/', '/more'])
    expect(await Promise.all(verdicts)).toEqual([true, true, true])
    const { d = '?', kid } = jwkIn('keys/a.json')
    const written = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'a.json')
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
    const all = [...runs.map(({ stdout, stderr }) => stdout + stderr), ...written].join('\n')
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0])
    expect(all).toContain(kid)
    expect(all).not.toContain(d)
    expect(all).not.toContain(Buffer.from(d, 'base64url').toString('latin1'))
  })

  it.each([
    [
      'a key that others can read',
      (): void => chmodSync(join(folder, 'keys/a.json'), 0o644),
      'to be readable by its owner alone, got mode 644',
    ],
    ['no key', (): void => rmSync(join(folder, 'keys'), { recursive: true }), 'found no file'],
    ['no Ed25519 key', (): void => writeFileSync(join(folder, 'keys/a.json'), '{}'), 'to be a private Ed25519 key as a JWK'],
    ['an agent that is not https', (): void => configured('keys', 'http://bot.example'), "got 'http://bot.example'"],
  ])('ends with 3 and one line before the first request: %s', async (_what, broken, line) => {
    await avocet('identity', 'key', 'keys/a.json')
    configured()
    broken()

    const { code, stderr } = await avocet('crawl')

    expect([code, stderr.trimEnd().split('\n').length]).toEqual([3, 1])
    expect(stderr).toContain(line)
    expect(asked).toEqual([])
  })

  it('is read about without its key, which check asks for where it sends requests', async () => {
    await avocet('identity', 'key', 'keys/a.json')
    configured()
    await avocet('crawl')
    rmSync(join(folder, 'keys'), { recursive: true })
    // Of the other, the modules are loaded.
    renameSync(join(folder, 'avocet.config.ts'), join(folder, 'reader.config.ts'))

    for (const words of [['why', site], ['report'], ['check', '--values'], ['status'], ['hosts'], ['check', '--offline']])
      expect([words, await avocet(...words, '--config', 'reader.config.ts')]).toMatchObject([words, { code: 0 }])
    const { code, stdout } = await avocet('check', '--config', 'reader.config.ts')
    expect(code).toBe(4)
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'FAIL plugins plugin signature could not open: signature: expected a private key at',
    )
  })

  it('is checked with signatures', async () => {
    await avocet('identity', 'key', 'keys/a.json')
    configured()

    const { code } = await avocet('check')

    expect(code).toBe(0)
    expect(asked.map(({ url, headers }) => [url, 'signature' in headers])).toEqual([['/robots.txt', true]])
  })
})
