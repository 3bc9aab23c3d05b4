// The secrets of a crawl: what stands for them everywhere, and what they are, which is known in RAM alone.
//
// Everything in the crawl sees references: the store, plugins, handlers, reports, events, errors. Values come in by the seeds and by what pages, redirects and
// handlers supply, and are replaced before anything else sees them; they go out by the fetcher (secret-fetcher.ts). So nobody who writes something down has
// to think of it. Without secrets none of this costs more than a look at a flag.
import { AvocetError } from '../values/errors.ts'
import type { Failure } from '../ports/failure.ts'
import type { HandlerError } from '../ports/handler-error.ts'
import type { Response } from '../ports/response.ts'
import { KnownCredentials, type CredentialsConfig } from './known-credentials.ts'
import { hiddenFields, SecretHeaders } from './secret-headers.ts'
import { MIN_CHARACTERS_IN_TEXT } from './known-values.ts'
import { SECRET_REFERENCE } from './reference.ts'
import { SecretParameters } from './secret-parameters.ts'
import { parseUrl } from '../url/parse-url.ts'

/** As a line `Sitemap:` has it. */
const ABSOLUTE_URL = /https?:\/\/[^\s#]+/gi
/** Values of header fields that are looked for in a text. */
const MAX_VALUES_IN_TEXT = 100

/** The secrets of a crawl. */
export class Secrets {
  readonly parameters: SecretParameters
  readonly headers: SecretHeaders = new SecretHeaders()
  readonly credentials: KnownCredentials

  /** `parameters`: names of the query parameters whose values are secret. Throws AVO_CONFIG_CREDENTIALS. */
  constructor(parameters: readonly string[] = [], credentials: CredentialsConfig = {}) {
    this.parameters = new SecretParameters(parameters)
    this.credentials = new KnownCredentials(credentials, this.headers)
  }

  /** A text that somebody will read, without secrets. */
  readonly inText = (text: string): string => {
    let hidden = this.parameters.inText(text)
    for (const value of this.headers.values(MAX_VALUES_IN_TEXT))
      if (value.length >= MIN_CHARACTERS_IN_TEXT && hidden.includes(value)) hidden = hidden.replaceAll(value, SECRET_REFERENCE)
    return hidden
  }

  /** The same answer to the request of `url`, with header fields without the values of parameters. */
  inAnswer(response: Response, url: string): Response {
    return this.parameters.isOn ? { ...response, headers: hiddenFields(response.headers, url, this.parameters) } : response
  }

  /** The same document of the server of `url`, such as a robots.txt, for a plugin that keeps what it says. Remembers the values. */
  inDocument(response: Response, url: string): Response {
    if (!this.parameters.isOn) return response
    const text = Buffer.from(response.body).toString('latin1')
    const hidden = this.parameters.inText(text)
    if (hidden === text) return response
    for (const [written] of text.matchAll(ABSOLUTE_URL)) {
      const found = parseUrl(written)
      if (found !== undefined) this.parameters.hidden(found, url)
    }
    return { ...response, body: Buffer.from(hidden, 'latin1') }
  }

  /** The same failure, with a message without secrets. */
  inFailure<Told extends Failure>(failure: Told): Told {
    const message = this.inText(failure.message)
    const { handlerError } = failure
    const told = handlerError && this.#inHandlerError(handlerError)
    if (message === failure.message && told?.stack === handlerError?.stack) return failure
    // What caused it says the same.
    const { cause: _cause, ...kept } = failure
    return { ...kept, message, ...(told && { handlerError: told }) } as Told
  }

  #inHandlerError({ message, stack, ...error }: HandlerError): HandlerError {
    return { ...error, message: this.inText(message), ...(stack !== undefined && { stack: this.inText(stack) }) }
  }

  /** The same error, if it holds no secret. */
  inError(error: unknown): unknown {
    if (!(error instanceof Error)) return error
    const message = this.inText(error.message)
    if (message === error.message) return error
    return error instanceof AvocetError ? new AvocetError(error.code, message) : new Error(message)
  }
}
