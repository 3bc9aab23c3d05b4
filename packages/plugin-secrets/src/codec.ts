// The codec of a crawl with secrets: what stands for them everywhere, and what they are, which is known in RAM alone.
//
// Everything in the crawl sees references: the store, plugins, handlers, reports, events, errors. Values come in by the seeds and by what pages, redirects and
// handlers supply, and are replaced before anything else sees them; they go out by the fetcher (sending.ts). So nobody who writes something down has to think
// of it.
import { AvocetError, type Response } from '@avocet/core'
import { parseUrl, type Failure } from '@avocet/core/plugin'
import { HIDDEN_VALUE, type HandlerError, type Ports } from '@avocet/core/store'
import { keptAnswer } from './body-secrets.ts'
import { KnownCredentials } from './known-credentials.ts'
import { MIN_CHARACTERS_IN_TEXT, type SecretsCodec } from './known-values.ts'
import { hiddenFields, SecretHeaders } from './secret-headers.ts'
import { SecretParameters } from './secret-parameters.ts'
import { send } from './sending.ts'

type CodecWish = Parameters<Ports['codec']>[0]

/** As a line `Sitemap:` has it. */
const ABSOLUTE_URL = /https?:\/\/[^\s#]+/gi
/** Values of header fields that are looked for in a text. */
const MAX_VALUES_IN_TEXT = 100

/**
 * Hides the values of query parameters, header fields and credentials of a crawl. Throws AVO_CONFIG_CREDENTIALS.
 *
 * @example
 * ```ts
 * const codec = secretsCodec({ secretParameters: ['token'], fields: ['authorization', 'cookie'] })
 * codec.url('https://shop.example/?token=abc') // 'https://shop.example/?token=__secret__'
 * ```
 */
export function secretsCodec({ secretParameters = [], fields, ...credentials }: CodecWish): SecretsCodec {
  const parameters = new SecretParameters(secretParameters)
  const headers = new SecretHeaders(fields)
  const known = new KnownCredentials(credentials, headers)
  const text = (given: string): string => {
    let hidden = parameters.inText(given)
    for (const value of headers.values(MAX_VALUES_IN_TEXT))
      if (value.length >= MIN_CHARACTERS_IN_TEXT && hidden.includes(value)) hidden = hidden.replaceAll(value, HIDDEN_VALUE)
    return hidden
  }
  const failure: SecretsCodec['failure'] = (told) => inFailure(told, text)
  const secrets = { parameters, headers, known, fields, text, failure }
  return {
    get names() {
      return parameters.names
    },
    learn: (names) => parameters.add(names),
    url: (url, from) => parameters.hidden(url, from),
    fields: (given, of) => headers.hidden(given, of),
    text,
    failure,
    error: (error) => inError(error, text),
    answer(response, url, part) {
      if (!parameters.isOn) return response
      if (part === 'document') return inDocument(response, url, parameters)
      return { ...response, headers: hiddenFields(response.headers, url, parameters) }
    },
    kept: (answer) => keptAnswer(answer, secrets),
    credential: (url, session) => known.for(url, session),
    send: (outbound, receiver, fetcher) => send(outbound, { receiver, fetcher }, secrets),
  }
}

/** `url` without the values of `parameters`, also in the URLs within it: as a crawl that hides them stores it. */
export function hiddenUrl(url: string, parameters: readonly string[]): string {
  return new SecretParameters(parameters).hidden(url)
}

/** Remembers the values. */
function inDocument(response: Response, url: string, parameters: SecretParameters): Response {
  const text = Buffer.from(response.body).toString('latin1')
  const hidden = parameters.inText(text)
  if (hidden === text) return response
  for (const [written] of text.matchAll(ABSOLUTE_URL)) {
    const found = parseUrl(written)
    if (found !== undefined) parameters.hidden(found, url)
  }
  return { ...response, body: Buffer.from(hidden, 'latin1') }
}

type Hide = (text: string) => string

/** With a message without secrets. */
function inFailure<Told extends Failure>(failure: Told, hide: Hide): Told {
  const message = hide(failure.message)
  const { handlerError } = failure
  const told = handlerError && inHandlerError(handlerError, hide)
  if (message === failure.message && told?.stack === handlerError?.stack) return failure
  // What caused it says the same.
  const { cause: _cause, ...kept } = failure
  return { ...kept, message, ...(told && { handlerError: told }) } as Told
}

function inHandlerError({ message, stack, ...error }: HandlerError, hide: Hide): HandlerError {
  return { ...error, message: hide(message), ...(stack !== undefined && { stack: hide(stack) }) }
}

/** With a message without secrets. */
function inError(error: unknown, hide: Hide): unknown {
  if (!(error instanceof Error)) return error
  const message = hide(error.message)
  if (message === error.message) return error
  return error instanceof AvocetError ? new AvocetError(error.code, message) : new Error(message)
}
