// What of an answer may be kept in a file: no header field that hands out a secret, and no secret in the body.
import type { Request } from '../request.ts'
import type { Response } from '../response.ts'
import { namedValuesIn, withoutBodySecrets } from './body-secrets.ts'
import { MIN_CHARACTERS_IN_TEXT } from './known-values.ts'
import { looksLikeWords } from './secret-value.ts'
import { beginsAsReference } from './reference.ts'
import { isSecretName } from './secret-name.ts'
import type { Secrets } from './secrets.ts'

/** Of the crawl, that are looked for in a body. */
const MAX_VALUES = 100

type Fields = Readonly<Record<string, string>>

/** What may be kept of an answer. */
export type KeptAnswer = Pick<Response, 'headers' | 'body'>

/**
 * What of the answer to `request` may be kept. `sent`: header fields that were sent besides its own. Undefined where the body cannot be searched for
 * secrets, and nothing may be.
 */
export function keptAnswer(
  { request, response, sent }: { readonly request: Request; readonly response: Response; readonly sent: Fields },
  secrets: Secrets,
): KeptAnswer | undefined {
  const { parameters, headers } = secrets
  const { names } = parameters
  const values = [
    ...parameters.values(MAX_VALUES),
    ...[...headers.values(MAX_VALUES), ...secretsOf(sent), ...secretsOf(request.headers)].flatMap(credentialsIn),
    ...namedValuesIn(request.body ?? '', names),
  ].filter((value) => value.length >= MIN_CHARACTERS_IN_TEXT && !beginsAsReference(value))
  const body = withoutBodySecrets(response.body, { names, values })
  if (body === undefined) return undefined
  const kept = Object.entries(response.headers).filter(([name]) => !isSecretName(name))
  const hidden = kept.map(([name, value]): [string, string | readonly string[]] => [
    name,
    typeof value === 'string' ? secrets.inText(value) : value.map(secrets.inText),
  ])
  return { headers: Object.fromEntries(hidden), body }
}

function secretsOf(fields: Fields): readonly string[] {
  return Object.entries(fields).flatMap(([name, value]) => (isSecretName(name) ? [value] : []))
}

/** `Bearer x`, `a=x; b=y`, `Basic …`: the whole, and what is secret in it. A cookie may hold a word, a language or a price as well. */
function credentialsIn(value: string): readonly string[] {
  const pairs = value
    .split(/;\s*/)
    .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const)
    .filter(([name, of]) => isSecretName(name) || isCredential(of))
    .map(([, of]) => of)
  const [, basic] = /^Basic ([\w+/=-]+)$/i.exec(value) ?? []
  const decoded = basic === undefined ? [] : [Buffer.from(basic, 'base64').toString()]
  const [, bare] = /^[\w-]+ (\S+)$/.exec(value) ?? []
  return [
    value,
    ...(bare === undefined ? [] : [bare]),
    ...(value.includes('=') ? pairs : []),
    ...decoded,
    ...decoded.map(passwordOf).filter(isCredential),
  ]
}

/** What a page has as well, as a word or a number, says nothing of who asks. */
function isCredential(value: string): boolean {
  return !/^\d{1,9}$/.test(value) && !looksLikeWords(value)
}

function passwordOf(credentials: string): string {
  return credentials.slice(credentials.indexOf(':') + 1)
}
