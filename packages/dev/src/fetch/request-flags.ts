// What is requested, where it is more than a URL: method, body, form fields.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AvocetError } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import { on, switchFlag, valueFlag, type Flags } from '@avocet/project/command'
import { given, textOf, textsOf, type Typed } from '@avocet/project/options'
import type { RequestWish } from './kept-pages.ts'

/** Of every command that looks at one page. */
export const REQUEST_FLAGS: Flags = on('Requests', {
  method: valueFlag('METHOD', 'Request method [default: GET, with a body POST]'),
  data: valueFlag('FIELDS', "Send form fields: 'name=value&…' or @FILE"),
  body: valueFlag('TEXT', 'Send this body unchanged; @FILE reads it from a file'),
  session: valueFlag('NAME', 'Use cookies, header fields and proxy of a session'),
  refetch: switchFlag('Request the page even if its response is kept'),
  kept: switchFlag('Use its kept response, and request nothing'),
})

/** As it was typed: a body may be in a file. */
export interface TypedRequest {
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
export function typedRequestOf(typed: Typed): TypedRequest {
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
