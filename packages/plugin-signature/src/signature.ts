// The plugin: signs each exchange as it is about to be sent, so that a retry, and each hop of a redirect, has a signature of its own.
import { AvocetError, definePlugin, type Plugin } from '@avocet/core'
import { checkOptions, option, type OptionRules } from '@avocet/core/plugin'
import { randomBytes } from 'node:crypto'
import { keyAt, readKeys, type SigningKey } from './keys.ts'
import { signedRequest } from './web-bot-auth.ts'

/** Options of `signature`. */
export interface SignatureOptions {
  /** File of the private key, or a folder of such files: the newest valid key signs. Read as a crawl opens: what only reads needs no key. */
  readonly key: string
  /** Where the public keys are published: the https URL that requests name. */
  readonly agent: string
  /** How requests name the agent. Default `'dictionary'`; `'string'` for verifiers of an earlier draft. */
  readonly agentForm?: 'dictionary' | 'string'
}

/** For clocks that differ, and short for those who copy a signature. */
const EXPIRES_MS = 300_000
const NONCE_BYTES = 64
const UNSIGNED = 'signature: no key is valid any more, so requests are not signed; avocet identity key makes a new one'
const NONE_VALID = 'expected a key that is valid now, got none; avocet identity key makes a new one'

const RULES: OptionRules<SignatureOptions> = {
  key: option.needed(option.nonEmptyText),
  agent: option.needed(
    option.satisfying("the https URL of a site or of a file, without password and query, such as 'https://bot.example'", isAgent),
  ),
  agentForm: option.oneOf('dictionary', 'string'),
}

/**
 * Signs requests, so that a site can check who sends them: Web Bot Auth, which is HTTP message signatures (RFC 9421) with Ed25519. Signed are the site and
 * the address of the key, not path or method.
 *
 * @param random - Gives so many random bytes, for nonces. Default: of node:crypto.
 * @throws AVO_CONFIG_INVALID for an `agent` that is no https URL. A crawl ends with it for a key that others can read, that is not there or no Ed25519 key.
 * @example
 * ```ts
 * // signed.ts
 * import { signature } from '@avocet/plugin-signature'
 *
 * export const plugins = [signature({ key: 'keys', agent: 'https://bot.example' })]
 * ```
 * Source: draft-ietf-webbotauth-httpsig-protocol-01.
 */
export function signature(options: SignatureOptions, random: (bytes: number) => Uint8Array = randomBytes): Plugin {
  checkOptions('signature', options, RULES)
  const { key: path, agent: written, agentForm = 'dictionary' } = options
  const agent = agentOf(written)
  let keys: readonly SigningKey[] = []
  // By the memory of a crawl, which is another object in each: one plugin may serve several.
  const problems = new WeakMap<object, (message: string) => void>()
  return definePlugin<undefined, Record<string, never>>({
    name: 'signature',
    seesRequired: true,
    outsideEffects: false,
    options: { key: path, agent },
    crawlMemory: () => ({}),
    open({ now, problem }, crawl) {
      keys = readKeys(path)
      if (keyAt(keys, now) === undefined) throw new AvocetError('AVO_CONFIG_INVALID', NONE_VALID)
      problems.set(crawl, problem)
    },
    beforeRequest(outgoing, _host, crawl) {
      const { now, exchange } = outgoing
      const key = keyAt(keys, now)
      if (key === undefined) return problems.get(crawl)?.(UNSIGNED)
      const { keyid, sign } = key
      const { host: authority } = new URL(exchange.request.url)
      const nonce = random(NONCE_BYTES)
      const fields = signedRequest({ authority, agent, agentForm, keyid, now, expiresMs: EXPIRES_MS, nonce }, sign)
      for (const [name, value] of Object.entries(fields)) outgoing.setHeader(name, value)
    },
  })
}

/** A query or a fragment names no directory of keys, nor does a folder, and a password would be sent to every site. */
function isAgent(value: unknown): boolean {
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (url?.protocol !== 'https:' || `${url.username}${url.password}${url.search}${url.hash}` !== '') return false
  return url.pathname === '/' || !url.pathname.endsWith('/')
}

/** In ASCII, as a structured field wants it; a site alone without the slash, as verifiers list it. */
function agentOf(written: string): string {
  const { origin, pathname } = new URL(written)
  return pathname === '/' ? origin : origin + pathname
}
