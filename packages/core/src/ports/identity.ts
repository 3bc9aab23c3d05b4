// What a link or a seed adds to the identity of its request: a key of its own, the name of a session, and that a browser is to render it.
//
// Without it a request is its method, canonical URL, body and handler. What is added is one text, stored with the request, for the target of a
// redirect takes it along. Session and rendering are beside what else there is in that text: `{"session":"alice","render":"browser","added":"…"}`. So
// everything that keeps an identity keeps them: a store, a cache, a reference to a secret.

/** The request, as far as it matters here. */
export interface Identified {
  /** A key. */
  readonly identity?: string
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

/** The text that joins the fingerprint; undefined when nothing does. */
export function identityText({ session, render, identity }: Identified): string | undefined {
  const added = identity === undefined ? undefined : JSON.stringify(identity)
  if (!session && render === undefined) return added
  return JSON.stringify({ ...(session && { session }), ...(render && { render }), ...(added !== undefined && { added }) })
}
