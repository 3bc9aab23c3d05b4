// The fields of a form: which elements are its own, what they hold, which of them are sent, and how: as a query, as parts, or as lines.
//
// Source: HTML standard §4.10.18.3 (form owner), §4.10.19.5 (disabled), §4.10.21.4 (constructing the entry list), §4.10.21.6 to §4.10.21.8;
// URL standard §5.2 (application/x-www-form-urlencoded); RFC 7578 (multipart/form-data).
import type { Page } from '@avocet/core'
import { percentEncoder } from './markup/charset.ts'
import { formOwnerOf } from './markup/dom.ts'

type Selection = ReturnType<Page['$']>

/** What is sent: name and value, or an empty file. */
export interface FormEntry {
  readonly name: string
  readonly value: string
  readonly isFile?: boolean
}

/** How a body is encoded. */
export type FormEncoding = 'application/x-www-form-urlencoded' | 'multipart/form-data' | 'text/plain'

/** What a field is. `option`: one that is chosen with others of its name, such as a box. */
export interface Field {
  readonly name: string
  readonly kind: 'text' | 'box' | 'radio' | 'select' | 'file' | 'button' | 'image'
  /** What it sends: texts that were typed, or values that were chosen. */
  readonly values: readonly string[]
  /** What may be chosen; empty of a text. */
  readonly choices: readonly string[]
  readonly isMultiple: boolean
  readonly isDisabled: boolean
  /** Name of a field that says in which direction the text is written. */
  readonly directionName: string
  /** Of a button: its text, and what it says of the submission. */
  readonly text: string
  readonly overrides: Readonly<Record<string, string | undefined>>
}

const SUBMITTABLE = 'input, button, select, textarea'
const TRIMMED = new Set(['url', 'email'])
/** Of one form: what is behind them is not sent. */
const MAX_FIELDS = 5_000
const OVERRIDES = ['action', 'method', 'enctype']
/** Escaped, of what ASCII shows: all but letters, digits and `*-._`, which the set of the URL standard leaves. A space becomes a plus. */
const ESCAPED = '!"#$%&\'()+,/:;<=>?@[\\]^`{|}~'

/** The fields of `form`, in the order of the document. */
export function fieldsOf($: Page['$'], form: Selection): readonly Field[] {
  const id = form.attr('id')
  const elsewhere =
    id === undefined || id === ''
      ? []
      : $('[form]')
          .filter((_, element) => $(element).attr('form') === id)
          .get()
  const own = new Set([...form.find(SUBMITTABLE).get(), ...elsewhere])
  const inText = form.get(0)
  const fields = $(SUBMITTABLE).filter((_, element) => own.has(element) || formOwnerOf(element) === inText)
  const found = fields
    .get()
    .slice(0, MAX_FIELDS)
    .flatMap((element) => {
      const field = $(element)
      const owner = field.attr('form')
      if ((owner !== undefined && owner !== id) || field.closest('datalist').length > 0) return []
      return fieldOf($, field) ?? []
    })
  return withOneOfEach(found)
}

/** Of the radio buttons of one name, the last that is checked counts (§4.10.5.1.16). */
function withOneOfEach(fields: readonly Field[]): readonly Field[] {
  const isChecked = ({ kind, name, values }: Field): boolean => kind === 'radio' && name !== '' && values.length > 0
  const last = new Map(fields.filter(isChecked).map((field) => [field.name, field]))
  return fields.map((field) => (isChecked(field) && last.get(field.name) !== field ? { ...field, values: [] } : field))
}

function fieldOf($: Page['$'], field: Selection): Field | undefined {
  const tag = field.prop('tagName')?.toLowerCase() ?? ''
  const type = (field.attr('type') ?? '').trim().toLowerCase()
  const read =
    tag === 'select'
      ? selectOf($, field)
      : tag === 'textarea'
        ? textOf(field.text())
        : tag === 'button'
          ? buttonOf(field, type)
          : inputOf(field, type)
  if (read === undefined) return undefined
  const overrides = Object.fromEntries(OVERRIDES.map((name) => [name, field.attr(`form${name}`)]))
  return {
    ...{ name: field.attr('name') ?? '', choices: [], isMultiple: false, text: '', overrides },
    ...{ directionName: field.attr('dirname') ?? '', isDisabled: isDisabled($, field) },
    ...read,
  }
}

type Read = Pick<Field, 'kind' | 'values'> & Partial<Field>

function textOf(value: string): Read {
  return { kind: 'text', values: [value] }
}

function inputOf(field: Selection, type: string): Read | undefined {
  const value = field.attr('value') ?? ''
  if (type === 'reset' || type === 'button') return undefined
  if (type === 'submit') return { kind: 'button', values: [value], text: value }
  if (type === 'image') return { kind: 'image', values: [value], text: field.attr('alt') ?? '' }
  if (type === 'file') return { kind: 'file', values: [''] }
  if (type === 'checkbox' || type === 'radio') {
    const choice = field.attr('value') ?? 'on'
    const values = field.attr('checked') === undefined ? [] : [choice]
    return { kind: type === 'radio' ? 'radio' : 'box', values, choices: [choice] }
  }
  // Text on one line (§4.10.5.1), which a type that is unknown is as well.
  const line = type === 'hidden' ? value : value.replaceAll(/[\r\n]/g, '')
  return textOf(TRIMMED.has(type) ? line.trim() : line)
}

function buttonOf(field: Selection, type: string): Read | undefined {
  if (type === 'reset' || type === 'button') return undefined
  return { kind: 'button', values: [field.attr('value') ?? ''], text: field.text().replaceAll(/\s+/g, ' ').trim() }
}

/** Of a list of which one is chosen, the last that says so; where none does and only one line is shown, the first that is not disabled (§4.10.7). */
function selectOf($: Page['$'], field: Selection): Read {
  const options = field
    .find('option')
    .get()
    .map((element) => {
      const option = $(element)
      const { value } = element.attribs // attr('value') gives the text where there is none.
      const isOff = option.attr('disabled') !== undefined || option.closest('optgroup[disabled]').length > 0
      return {
        value:
          value ??
          option
            .text()
            .replaceAll(/[\t\n\f\r ]+/g, ' ')
            .trim(),
        isOff,
        isChosen: option.attr('selected') !== undefined,
      }
    })
  const isMultiple = field.attr('multiple') !== undefined
  const chosen = options.filter(({ isChosen }) => isChosen)
  const shown = Number.parseInt(field.attr('size') ?? '', 10)
  const first = isMultiple || shown > 1 ? undefined : options.find(({ isOff }) => !isOff)
  const last = chosen.at(-1) ?? first
  const sent = isMultiple ? chosen : last === undefined ? [] : [last]
  const values = sent.filter(({ isOff }) => !isOff).map(({ value }) => value)
  return { kind: 'select', values, choices: options.map(({ value }) => value), isMultiple }
}

/** Itself, or a fieldset around it, unless it is in the first legend of that. */
function isDisabled($: Page['$'], field: Selection): boolean {
  if (field.attr('disabled') !== undefined) return true
  return field
    .parents('fieldset[disabled]')
    .get()
    .some((element) => {
      const legend = $(element).children('legend').first()
      return !legend
        .find(SUBMITTABLE)
        .get()
        .some((inner) => inner === field.get(0))
    })
}

/** `entries` as a query in `charset`, a WHATWG name. */
export function urlencoded(entries: readonly FormEntry[], charset: string): string {
  const escaped = (text: string): string => escapedIn(crlf(text), charset)
  return entries.map(({ name, value }) => `${escaped(name)}=${escaped(value)}`).join('&')
}

/** A body and its content type. Bodies are sent in UTF-8, whatever charset parts were to have. */
export function bodyOf(
  entries: readonly FormEntry[],
  encoding: FormEncoding,
  charset: string,
): { readonly type: string; readonly body: string } {
  if (encoding === 'application/x-www-form-urlencoded') return { type: encoding, body: urlencoded(entries, charset) }
  if (encoding === 'text/plain')
    return { type: encoding, body: entries.map(({ name, value }) => `${crlf(name)}=${crlf(value)}\r\n`).join('') }
  const boundary = boundaryFor(entries)
  const parts = entries.map((entry) => `--${boundary}\r\n${partOf(entry)}\r\n`)
  return { type: `${encoding}; boundary=${boundary}`, body: `${parts.join('')}--${boundary}--\r\n` }
}

function partOf({ name, value, isFile }: FormEntry): string {
  const quoted = crlf(name).replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
  const file = isFile === true ? '; filename=""\r\nContent-Type: application/octet-stream' : ''
  return `Content-Disposition: form-data; name="${quoted}"${file}\r\n\r\n${crlf(value)}`
}

/** In none of the values. The same for the same form, for a body is part of what a request is. */
function boundaryFor(entries: readonly FormEntry[]): string {
  const text = entries.map(({ name, value }) => `${name}\n${value}`).join('\n')
  let number = 0
  while (text.includes(`----avocet-form-${number}`)) number++
  return `----avocet-form-${number}`
}

function crlf(text: string): string {
  return text.replaceAll(/\r\n|\r|\n/g, '\r\n')
}

function escapedIn(text: string, charset: string): string {
  // A lone surrogate is no text, and URLSearchParams makes U+FFFD of it, as browsers do.
  if (charset === 'UTF-8' || !/[^\0-\u007F]/.test(text)) return new URLSearchParams([['', text]]).toString().slice(1)
  return percentEncoder()(charset, text, ESCAPED, true)
}
