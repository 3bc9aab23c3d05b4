// What one exchange says about the health of its host. Pure: a status or a failure becomes one of seven signals.
//
// A server that says 404 is well; one that says 429 is well and asks for less, which is the pace's business; a 500 is most often one broken page.
// Only what says "I cannot" is a failure. Faults of this machine never get here (core keeps them), nor do hosts that core finds silent together.
import { reasonOf, type Answered, type Failure, type FailureCode, type ResponseHead } from '@avocet/core/plugin'

/** What an exchange says. `word` is the plain reason, as reports use it: `connect-refused`, `http-503`. */
export type Signal =
  /** The server answered. */
  | { readonly kind: 'alive' }
  /** Says nothing, or says with Retry-After when to come back: the pace keeps that. */
  | { readonly kind: 'neutral' }
  | { readonly kind: 'failure'; readonly word: string }
  /** Status 500: most often one page; many of them are a failure. */
  | { readonly kind: 'error'; readonly word: string }
  /** Refused without a word about when to come back. */
  | { readonly kind: 'refused'; readonly word: string }
  /** One such page is private; whether a row of them is a ban, core says. */
  | { readonly kind: 'blocked'; readonly word: string }
  /** Trying again soon is in vain. */
  | { readonly kind: 'hopeless'; readonly of: 'dns' | 'certificate'; readonly word: string }

const ALIVE: Signal = { kind: 'alive' }
const NEUTRAL: Signal = { kind: 'neutral' }

/** Not implemented, version not supported, network login: the server is well, this request is not for it. */
const WELL_5XX = new Set([501, 505, 511])
/** Request timeout, too early: come again, without prejudice. */
const COME_AGAIN = new Set([408, 425])
/** They never reached the host. */
const NOT_ASKED: ReadonlySet<FailureCode> = new Set([
  'AVO_ADDRESS_REFUSED',
  'AVO_PORT_REFUSED',
  'AVO_REQUEST_INVALID',
  'AVO_ABORTED',
])

/** The signal of an answer. `wanted`: the spider accepts this status, so it is one; `forbidden`: a ban comes with it. */
export function signalOfAnswer(
  { status, headers }: ResponseHead,
  { wanted, forbidden }: Pick<Answered, 'wanted' | 'forbidden'>,
): Signal {
  if (wanted || status < 400) return ALIVE
  const word = `http-${status}`
  if (forbidden) return { kind: 'blocked', word }
  const saysWhen = headers['retry-after'] !== undefined
  if (status === 429) return saysWhen ? NEUTRAL : { kind: 'refused', word }
  if (COME_AGAIN.has(status) || (status === 503 && saysWhen)) return NEUTRAL
  if (status < 500 || WELL_5XX.has(status)) return ALIVE
  return status === 500 ? { kind: 'error', word } : { kind: 'failure', word }
}

/** The signal of an exchange that got no answer. */
export function signalOfFailure(failure: Pick<Failure, 'code' | 'blame' | 'wireBytes'>): Signal {
  const { code, blame, wireBytes } = failure
  const word = reasonOf(code)
  if (code === 'AVO_DNS_NOT_FOUND') return { kind: 'hopeless', of: 'dns', word }
  if (code === 'AVO_TLS_CERTIFICATE' || code === 'AVO_TLS_INTERMEDIATE') return { kind: 'hopeless', of: 'certificate', word }
  // A page that never ends costs its host megabytes for nothing: one is a download, five in a row are a trap, or a site that is nothing else. One that says how
  // large it is costs nothing: a site may list a hundred files that are larger than wanted.
  if (blame === 'host' || (code === 'AVO_BODY_TOO_LARGE' && wireBytes > 0)) return { kind: 'failure', word }
  // A page cut short, or in a coding that it is not in, was sent by a server that works.
  return blame === 'url' && !NOT_ASKED.has(code) ? ALIVE : NEUTRAL
}
