// Hides values of a crawl that nobody is to read, where they come in, and puts them back where they are sent: between the two are references (HIDDEN_VALUE).
import type { CrawlConfig } from './config.ts'
import type { Failure } from './failure.ts'
import type { Fetcher, FetchReceiver, Outbound } from './fetcher.ts'
import type { Request } from './request.ts'
import type { Response } from './response.ts'

type Fields = Readonly<Record<string, string>>

/** What a codec is made with. */
export interface CodecWish extends Pick<CrawlConfig, 'secretParameters' | 'credentials' | 'sessions'> {
  /** Header fields of requests whose values are hidden, in lower case. */
  readonly fields: readonly string[]
}

/** Of one run. URLs are in WHATWG form, names of header fields in lower case. */
export interface Codec {
  /** Query parameters whose values are hidden: decoded, in lower case, sorted. */
  readonly names: readonly string[]
  /** Further names, such as those of earlier runs. */
  learn(names: readonly string[]): void
  /** `url` with references. Remembers its values; `from`: the URL whose server supplied it, absent for a seed. */
  url(url: string, from?: string): string
  /** `fields` of a request with references. Remembers the values. */
  fields(fields: Fields, of: { readonly url: string; readonly identity?: string | undefined; readonly isSeed?: boolean }): Fields
  /** A text that somebody will read. */
  text(text: string): string
  failure<Told extends Failure>(failure: Told): Told
  error(error: unknown): unknown
  /** An answer of the server of `url`, for plugins: its header fields, or the body of a document such as a robots.txt. */
  answer(response: Response, url: string, part: 'headers' | 'document'): Response
  /** What may be kept of an answer in a file; undefined where its body cannot be searched. `sent`: header fields besides those of the request. */
  kept(answer: {
    readonly request: Request
    readonly response: Response
    readonly sent: Fields
  }): Pick<Response, 'headers' | 'body'> | undefined
  /** What is sent to an origin: the header field `authorization`, as a reference, and what to tell where it was refused. */
  credential(url: string, session?: string): { readonly authorization?: string; readonly refused: string } | undefined
  /** Sends it with its values; what the receiver gets is without them. */
  send(outbound: Outbound, receiver: FetchReceiver, fetcher: Pick<Fetcher, 'fetch'>): () => void
}
