// Options of the commands that look at one page as a crawl would see it: those of `avocet crawl` that decide how its host is asked.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AvocetError } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import { CRAWL_FLAGS, on, SPIDER_ARGUMENTS, switchFlag, valueFlag, type Flags } from '@avocet/project/command'
import { crawlOptionsOf, given, textOf, textsOf, type CrawlOptions, type Typed } from '@avocet/project/options'
import type { RequestWish } from './kept-pages.ts'

// What is requested, where it is more than a URL: method, body, form fields.

/** Of every command that looks at one page. */
const REQUEST_FLAGS: Flags = on('Requests', {
  method: valueFlag('METHOD', 'Request method [default: GET, with a body POST]'),
  data: valueFlag('FIELDS', "Send form fields: 'name=value&…' or @FILE"),
  body: valueFlag('TEXT', 'Send this body unchanged; @FILE reads it from a file'),
  session: valueFlag('NAME', 'Use cookies, header fields and proxy of a session'),
  refetch: switchFlag('Request the page even if its response is kept'),
  kept: switchFlag('Use its kept response, and request nothing'),
})

/** As it was typed: a body may be in a file. */
interface TypedRequest {
  readonly method?: string
  /** Fields of a form, one text for each time that they were typed. */
  readonly data?: readonly string[]
  readonly body?: string
  readonly session?: string
}

const FORM = 'application/x-www-form-urlencoded'

/** RFC 9110 §9.1: a token. */
/** As a link has it. */
const SESSION = /^[\w.-]{1,64}$/
const METHOD = /^[\w!#$%&'*+.^`|~-]+$/

/** Reads what was typed. Throws AVO_USAGE. */
function typedRequestOf(typed: Typed): TypedRequest {
  const method = textOf(typed, 'method')?.toUpperCase()
  const [data, body] = [textsOf(typed, 'data'), textOf(typed, 'body')]
  if (method !== undefined && !METHOD.test(method))
    throw new AvocetError('AVO_USAGE', `--method: expected a method such as POST, got '${method}'`)
  if (data.length > 0 && body !== undefined)
    throw new AvocetError('AVO_USAGE', 'expected --data, which is a form, or --body, got both; leave one out')
  const hasBody = data.length > 0 || body !== undefined
  if (hasBody && (method === 'GET' || method === 'HEAD'))
    throw new AvocetError('AVO_USAGE', `--method: expected a method with a body, such as POST, got ${method}; leave it out`)
  const session = textOf(typed, 'session')
  if (session !== undefined && !SESSION.test(session))
    throw new AvocetError(
      'AVO_USAGE',
      `--session: expected letters, digits, dashes, underscores or dots, 64 at most, got '${session}'`,
    )
  return {
    ...given('session', session),
    ...given('method', method),
    ...given('data', data.length === 0 ? undefined : data),
    ...given('body', body),
  }
}

/** What is requested. `typed`: header fields that were typed. Throws AVO_USAGE for a file that cannot be read. */
export async function requestWishOf(
  { method, data, body, session }: TypedRequest,
  { folder, typed }: { readonly folder: string; readonly typed: Readonly<Record<string, string>> },
): Promise<RequestWish> {
  const hasType = Object.keys(typed).some((name) => name.toLowerCase() === 'content-type')
  const fields = data && (await Promise.all(data.map((each) => textFrom(each, folder, '--data'))))
  const text = fields === undefined ? await textFrom(body, folder, '--body') : hasType ? fields.join('&') : asForm(fields)
  return {
    ...given('session', session),
    ...given('method', method ?? (text === undefined ? undefined : 'POST')),
    ...(data !== undefined && !hasType && { headers: { 'content-type': FORM } }),
    ...given('body', text),
  }
}

/** As a browser encodes them (URL Standard §5); what was typed encoded stays so. A file ends with a line end that is in no field. */
function asForm(fields: readonly (string | undefined)[]): string {
  return new URLSearchParams(fields.map((text = '') => text.replace(/\r?\n$/, '')).join('&')).toString()
}

async function textFrom(given: string | undefined, folder: string, option: string): Promise<string | undefined> {
  if (given === undefined || !given.startsWith('@')) return given
  return readFile(resolve(folder, given.slice(1)), 'utf8').catch((error: unknown) => {
    throw new AvocetError('AVO_USAGE', `${option}: expected a readable file after @, got ${messageOf(error)}`, {
      cause: error,
    })
  })
}

/** How long a page is waited for when nothing else was typed: longer than most a Crawl-delay, shorter than a person's patience. */
const PATIENCE_MS = 30_000

const OWN_WORDS: Flags = {
  config: {},
  store: { describe: 'Use what the crawl in STORE has learned of the host' },
  'user-agent': {},
  'secret-parameter': { describe: 'Hide values of this query parameter' },
  header: { describe: "Send 'name: value', to this host only" },
  'ignore-robots': {},
  proxy: {},
  patience: { describe: 'Maximum time to wait for its turn [default: 30s]' },
  // What a project may have in its environment for its crawls holds here too, and would fill the screen.
  'max-rps': { hidden: true },
  delay: { hidden: true },
  'max-per-host': { hidden: true },
  rate: { hidden: true },
  'allow-private': { hidden: true },
}

/** Of every command that looks at one page. */
export const VISIT_FLAGS: Flags = {
  ...REQUEST_FLAGS,
  ...Object.fromEntries(Object.entries(OWN_WORDS).map(([name, words]) => [name, { ...CRAWL_FLAGS[name], ...words }])),
}

/** Of those that may have a spider. */
export const SPIDER_FLAGS: Flags = {
  spider: valueFlag('SPIDER', "File or name [default: the configuration's spider]"),
  ...SPIDER_ARGUMENTS,
}

/** How a page is to be looked at. */
export interface VisitWish {
  /** What a crawl would get; it has no `targets`. */
  readonly crawl: CrawlOptions
  readonly patienceMs: number
  /** Also what is kept is requested. */
  readonly refetch: boolean
  /** Nothing is requested. */
  readonly kept?: boolean
  /** Of the page that is named. */
  readonly request: TypedRequest
}

/** Reads the options that are a crawl's. Throws AVO_USAGE. */
export function visitWishOf(typed: Typed): VisitWish {
  const names = new Set([...Object.keys(OWN_WORDS), 'a'])
  const crawls = Object.fromEntries(Object.entries(typed).filter(([name]) => names.has(name)))
  const crawl = crawlOptionsOf(crawls)
  const [refetch, kept] = [typed['refetch'] === true, typed['kept'] === true]
  if (refetch && kept)
    throw new AvocetError(
      'AVO_USAGE',
      'expected --refetch, which requests the page, or --kept, which does not, got both; leave one out',
    )
  const request = typedRequestOf(typed)
  if (kept && request.session !== undefined)
    throw new AvocetError('AVO_USAGE', '--kept: expected no --session, whose pages are always requested; leave one out')
  return { crawl, patienceMs: crawl.config.patienceMs ?? PATIENCE_MS, refetch, kept, request }
}
