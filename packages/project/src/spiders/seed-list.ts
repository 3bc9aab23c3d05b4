// Reads URLs that a user typed or listed: one a line, blank lines and `#` comments skipped.
import { createReadStream } from 'node:fs'
import { AvocetError } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import { withoutCredentials } from '@avocet/plugin-secrets/names'

/** A name with a dot, a port or a path, and no scheme: what people type when they mean a site. */
const BARE_HOST = /^(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:[/?#]|$)/

/**
 * The URL itself, if it is an absolute http or https URL.
 *
 * @param from where it comes from, for the message.
 * @param secret names of parameters whose values are not shown.
 * @throws AVO_SEED_INVALID.
 */
export function checkSeedUrl(text: string, from: string, secret: readonly string[] = []): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text
  const meant = BARE_HOST.test(text) ? `${LOCAL.test(text) ? 'http' : 'https'}://${text}` : undefined
  const hint =
    meant !== undefined && URL.canParse(meant)
      ? `did you mean '${withoutCredentials(meant, secret)}'?`
      : 'use the form https://shop.example/'
  throw new AvocetError(
    'AVO_SEED_INVALID',
    `${from}: expected an http(s) URL, got '${withoutCredentials(text, secret)}'; ${hint}`,
  )
}

/** A server under development: it rarely has a certificate. */
const LOCAL = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?=[:/?#]|$)/i

/**
 * Every URL in the file at `path`; `-` reads `stdin`.
 *
 * @throws AVO_SEED_INVALID with the line number, or when the file cannot be read or holds no URL.
 */
export async function readSeedList(
  path: string,
  stdin: NodeJS.ReadableStream,
  secret: readonly string[] = [],
): Promise<readonly string[]> {
  const name = path === '-' ? 'standard input' : path
  const seeds: string[] = []
  const { createInterface } = await import('node:readline')
  let lineNumber = 0
  try {
    const input = path === '-' ? stdin : createReadStream(path)
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      lineNumber += 1
      const text = (lineNumber === 1 ? line.replace(/^\ufeff/, '') : line).trim()
      if (text !== '' && !text.startsWith('#')) seeds.push(checkSeedUrl(text, `${name}:${lineNumber}`, secret))
    }
  } catch (error) {
    if (error instanceof AvocetError) throw error
    throw new AvocetError(
      'AVO_SEED_INVALID',
      `--seeds: expected a readable file with one URL per line, got ${messageOf(error)}`,
      {
        cause: error,
      },
    )
  }
  if (seeds.length === 0) throw new AvocetError('AVO_SEED_INVALID', `--seeds: expected one URL per line, found none in ${name}`)
  return seeds
}

// A host, however it was typed: its name, with a port, or a URL of it.

/** As URLs have it: in lower case, in ASCII, without the port of its scheme. `command` is named in errors. Throws AVO_USAGE. */
export function typedHost(typed: string, command: string): string {
  if (typed.includes('/')) return new URL(checkSeedUrl(typed, command)).host
  const url = `${typed.endsWith(':443') ? 'https' : 'http'}://${typed}/`
  const { host, pathname, search } = URL.canParse(url) ? new URL(url) : { host: '', pathname: '', search: '' }
  if (host === '' || pathname !== '/' || search !== '' || typed.includes('@') || /\.$|\.\./.test(host.replace(/:\d+$/, '')))
    throw new AvocetError('AVO_USAGE', `${command}: expected the name of a host such as shop.example, got '${typed}'`)
  return host
}
