// What a link or a seed adds to the identity of its request: the values of some of its own header fields, or a key of its own, the name of a session, and that
// a browser is to render it.
//
// Without it a request is its method, canonical URL, body and handler. What is added is one text, stored with the request, for the target of a
// redirect takes it along. Session and rendering are beside what else there is in that text: `{"session":"alice","render":"browser","added":"…"}`. So
// everything that keeps an identity keeps them: a store, a cache, a reference to a secret.
import { CREDENTIAL_FIELDS } from '../values/header-names.ts'
import { shown } from '../values/shown.ts'
import { storedJson } from './stored-json.ts'

/** The request, as far as it matters here. */
export interface Identified {
  readonly headers?: Readonly<Record<string, string>>
  /** Names of fields in `headers`, or a key. */
  readonly identity?: readonly string[] | string
  /** Name of a session; `false`: none. */
  readonly session?: string | false
  /** A browser fetches it. */
  readonly render?: 'browser'
}

const SESSION_START = '{"session":"'
/** No name of a session has a quotation mark. */
const RENDERED = /^\{(?:"session":"[^"]*",)?"render":"browser"/
const SESSION_NAME = /^[\w.-]{1,64}$/

/** Whether `name` may name a session: what needs no escape in JSON, in a file name and in a table. */
export function isSessionName(name: unknown): name is string {
  return typeof name === 'string' && SESSION_NAME.test(name)
}

/** The session of a request whose stored identity is `identity`; undefined for that of its host. */
export function sessionOf(identity: string | undefined): string | undefined {
  if (identity === undefined || !identity.startsWith(SESSION_START)) return undefined
  return identity.slice(SESSION_START.length, identity.indexOf('"', SESSION_START.length))
}

/** Whether a browser is to fetch the request whose stored identity is `identity`. */
export function rendersOf(identity: string | undefined): boolean {
  return identity !== undefined && RENDERED.test(identity)
}

/** What a stored identity says beside the session and the rendering. */
function withoutSession(identity: string | undefined): string | undefined {
  if (identity === undefined || (sessionOf(identity) === undefined && !rendersOf(identity))) return identity
  return (storedJson(identity, 'the identity of a request') as { readonly added?: string }).added
}

/** Why the `identity` of a link or a seed means nothing, in one line; undefined when it does, or is not there. */
export function identityProblem({ headers = {}, identity }: Identified): string | undefined {
  if (identity === undefined) return undefined
  if (typeof identity === 'string') return identity === '' ? "expected identity to be a key, got ''; leave it out" : undefined
  if (!Array.isArray(identity) || identity.length === 0 || !identity.every((name) => typeof name === 'string'))
    return `expected identity to be names of header fields (['accept-language']) or a key ('de'), got ${shown(identity)}; name one, or leave it out`
  const field = identity.find((name: string) => CREDENTIAL_FIELDS.includes(name.toLowerCase()))
  if (field !== undefined)
    return `expected identity to be a key where the header ${field} tells requests apart, for its value is secret and never stored; write a name for it, such as identity: 'customer-7'`
  const own = new Set(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [name.toLowerCase()])))
  const missing = identity.find((name: string) => !own.has(name.toLowerCase()))
  if (missing === undefined) return undefined
  const got = own.size === 0 ? 'no headers' : `the headers ${[...own].join(', ')}`
  return `expected the header ${missing}, which identity names, to be among the headers, got ${got}; add headers: { '${missing.toLowerCase()}': … }, or use a key (identity: 'de')`
}

/** The text that joins the fingerprint; undefined when nothing does. */
export function identityText({ session, render, ...wanted }: Identified): string | undefined {
  const added = addedText(wanted)
  if (!session && render === undefined) return added
  return JSON.stringify({ ...(session && { session }), ...(render && { render }), ...(added !== undefined && { added }) })
}

function addedText({ headers = {}, identity }: Identified): string | undefined {
  if (identity === undefined) return undefined
  if (typeof identity === 'string') return JSON.stringify(identity)
  const names = new Set(identity.map((name) => name.toLowerCase()))
  const fields = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return JSON.stringify(fields.filter(([name]) => names.has(name)).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Fields that say which version of a page is wanted and that hold no secret (the Fetch standard lets any site send them to any other). */
const HARMLESS = new Set(['accept', 'accept-language'])

/**
 * The header fields, as JSON, that follow a redirect to another origin: without those that tell one version of a page from another, two requests would
 * become one page twice.
 */
export function headersElsewhere(stored: string | undefined): string | undefined {
  const identity = withoutSession(stored)
  const fields: unknown = identity === undefined ? undefined : storedJson(identity, 'the identity of a request')
  if (!Array.isArray(fields)) return undefined
  const kept = (fields as [string, string][]).filter(([name]) => HARMLESS.has(name))
  return kept.length === 0 ? undefined : JSON.stringify(Object.fromEntries(kept))
}
