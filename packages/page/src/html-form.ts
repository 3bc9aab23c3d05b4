// A form of an HTML page: filled in by name, and submitted as browsers do.
import { AvocetError, link, type Link, type Page } from '@avocet/core'
import { didYouMean, parseUrl } from '@avocet/core/plugin'
import { shown } from '@avocet/core/store'
import type { Form, FormValue, SubmitOptions } from './page-content.ts'
import { bodyOf, fieldsOf, urlencoded, type Field, type FormEncoding, type FormEntry } from './form-fields.ts'
import { submissionCharset } from './markup/charset.ts'
import { formOwnerOf } from './markup/dom.ts'

/** Names and values that a message lists. */
const MOST_LISTED = 20

/** The form that `selector` finds on `page`, or that is around what it finds; without a selector the first of the page. */
export function formOf(page: Page, selector = 'form'): Form {
  const { $ } = page
  const found = $(selector).first()
  const [first] = found.get()
  const owner = first && formOwnerOf(first)
  const form = owner === undefined ? found.closest('form') : $('form').filter((_, each) => each === owner)
  if (form.length === 0) {
    const others = $('form')
      .get()
      .map((element) => `form${idOf($(element).attr('id'))}`)
    const has = others.length === 0 ? 'the page has no form' : `the page has ${listed(others)}`
    throw problem(`expected a form at ${JSON.stringify(selector)} of ${page.request.url}, found none; ${has}`)
  }
  const attributes = Object.fromEntries(['action', 'method', 'enctype', 'accept-charset'].map((name) => [name, form.attr(name)]))
  return new HtmlForm({ page, name: `form ${JSON.stringify(selector)} of ${page.request.url}`, attributes }, fieldsOf($, form))
}

interface FormParts {
  readonly page: Page
  /** For messages. */
  readonly name: string
  readonly attributes: Readonly<Record<string, string | undefined>>
}

class HtmlForm implements Form {
  readonly #parts: FormParts
  readonly #fields: readonly Field[]

  constructor(parts: FormParts, fields: readonly Field[]) {
    this.#parts = parts
    this.#fields = fields
  }

  get names(): readonly string[] {
    const named = this.#fields.filter(({ name, kind }) => name !== '' && kind !== 'button' && kind !== 'image')
    return [...new Set(named.map(({ name }) => name))]
  }

  fill(values: Readonly<Record<string, FormValue>>): Form {
    let fields = this.#fields
    for (const [name, value] of Object.entries(values)) {
      if (!this.names.includes(name)) {
        const hint = didYouMean(name, this.names) || `; it has ${listed(this.names)}`
        throw problem(`${this.#parts.name} has no field ${JSON.stringify(name)}${hint}`)
      }
      const own = filledIn(
        fields.filter((field) => isOf(field, name)),
        value,
        `field ${JSON.stringify(name)} of ${this.#parts.name}`,
      )
      fields = fields.map((field) => own.get(field) ?? field)
    }
    return new HtmlForm(this.#parts, fields)
  }

  submit<Name extends string, Data>(options: SubmitOptions<Name, Data> = {}): Link<Name, Data> {
    const { button, headers, ...follow } = options
    const pressed = this.#pressed(button)
    const said = (name: string): string | undefined => pressed?.overrides[name] ?? this.#parts.attributes[name]
    const { page, attributes } = this.#parts
    const charset = submissionCharset(attributes['accept-charset'], page.charset)
    const method = (said('method') ?? '').trim().toLowerCase()
    if (method === 'dialog') throw problem(`${this.#parts.name} closes a dialog, and submits nothing`)
    const url = this.#actionOf(said('action'))
    const entries = entriesOf(this.#fields, pressed, charset)
    if (method !== 'post') {
      url.search = urlencoded(entries, charset)
      return link(url, { ...follow, ...(headers && { headers }) })
    }
    const { type, body } = bodyOf(entries, encodingOf(said('enctype')), charset)
    return link(url, { ...follow, method: 'POST', headers: { 'content-type': type, ...headers }, body })
  }

  /** Of what was named, by name, value or text; else the first button, if it is not disabled. */
  #pressed(wanted: string | undefined): Field | undefined {
    const buttons = this.#fields.filter(({ kind }) => kind === 'button' || kind === 'image')
    if (wanted === undefined) return buttons[0]?.isDisabled === true ? undefined : buttons[0]
    const by = (key: (field: Field) => string | undefined): Field | undefined => buttons.find((field) => key(field) === wanted)
    const pressed = by(({ name }) => name) ?? by(({ values }) => values[0]) ?? by(({ text }) => text)
    if (pressed !== undefined) return pressed
    const has = buttons.map(({ name, text, values }) => JSON.stringify(name || text || values[0]))
    throw problem(
      `${this.#parts.name} has no button ${JSON.stringify(wanted)}; it has ${has.length === 0 ? 'none' : listed(has)}`,
    )
  }

  /** An empty one is the page itself, whatever its base. */
  #actionOf(action = ''): URL {
    const { page, name } = this.#parts
    const url = action.trim() === '' ? page.request.url : parseUrl(action, page.baseUrl)
    if (url === undefined)
      throw problem(
        `expected ${name} to lead to an http(s) URL of at most 8,000 bytes, got ${shown(action, 200)}; yield a link() in its place`,
      )
    return new URL(url)
  }
}

function isOf(field: Field, name: string): boolean {
  return field.name === name && field.kind !== 'button' && field.kind !== 'image'
}

/** The fields of one name with what `value` says of them. It may be a secret, such as a password: messages do not quote it. */
function filledIn(fields: readonly Field[], value: FormValue, what: string): ReadonlyMap<Field, Field> {
  const wanted = typeof value === 'boolean' ? [] : Array.isArray(value) ? value.map(String) : [String(value)]
  const [first] = fields
  if (fields.some(({ kind }) => kind === 'file')) throw problem(`${what} takes a file, which cannot be sent; leave it out`)
  const isBox = first?.kind === 'box'
  if (typeof value === 'boolean' && !isBox)
    throw problem(`expected a text for ${what}, got a boolean; only boxes are true or false`)
  const choices = fields.flatMap((field) => field.choices)
  const isChoice = first !== undefined && first.kind !== 'text'
  const unknown = isChoice ? wanted.find((each) => !choices.includes(each)) : undefined
  if (unknown !== undefined)
    throw problem(`${what} cannot be what it is filled in with; it can be ${listed(choices.map((each) => JSON.stringify(each)))}`)
  const most = isBox || first?.isMultiple === true ? choices.length : isChoice ? 1 : fields.length
  if (wanted.length > most) throw problem(`expected at most ${most} values for ${what}, got ${wanted.length}`)
  return new Map(
    fields.map((field, n) => [field, { ...field, isDisabled: false, values: valuesOf(field, { value, wanted, n }) }]),
  )
}

function valuesOf(
  field: Field,
  { value, wanted, n }: { readonly value: FormValue; readonly wanted: readonly string[]; readonly n: number },
): readonly string[] {
  if (value === true) return field.choices
  if (field.kind !== 'text') return wanted.filter((each) => field.choices.includes(each))
  return wanted[n] === undefined ? field.values : [wanted[n]]
}

function entriesOf(fields: readonly Field[], pressed: Field | undefined, charset: string): readonly FormEntry[] {
  return fields.flatMap((field): FormEntry[] => {
    const { name, kind, values } = field
    const isButton = kind === 'button' || kind === 'image'
    if ((isButton && field !== pressed) || (field.isDisabled && field !== pressed)) return []
    if (kind === 'image') return ['x', 'y'].map((axis) => ({ name: name === '' ? axis : `${name}.${axis}`, value: '0' }))
    if (name === '') return []
    if (kind === 'file') return [{ name, value: '', isFile: true }]
    const sent = /^_charset_$/i.test(name) && kind === 'text' ? [charset] : values
    const direction = field.directionName === '' ? [] : [{ name: field.directionName, value: 'ltr' }]
    return [...sent.map((value) => ({ name, value })), ...direction]
  })
}

function encodingOf(given = ''): FormEncoding {
  const encoding = given.trim().toLowerCase()
  return encoding === 'multipart/form-data' || encoding === 'text/plain' ? encoding : 'application/x-www-form-urlencoded'
}

function idOf(id: string | undefined): string {
  return id === undefined || id === '' ? '' : `#${id}`
}

function listed(names: readonly string[]): string {
  const more = names.length - MOST_LISTED
  return names.slice(0, MOST_LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

function problem(message: string): AvocetError {
  return new AvocetError('AVO_HANDLER_FORM', message)
}
