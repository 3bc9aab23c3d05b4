// What `avocet new` was told: the kind, a name that TypeScript can be written with, and where a spider begins.
import { AvocetError, parseUrl, didYouMean } from '@avocet/core'
import { checkSeedUrl } from '../load/seed-list.ts'
import { textOf } from '../options/text-of.ts'

/** What can be written. */
type NewKind = (typeof KINDS)[number]

/** What is to be written. */
export interface NewOptions {
  readonly kind: NewKind
  /** Of files, as it was typed: `price-watch`. */
  readonly name: string
  /** Of a function: `priceWatch`. */
  readonly camelName: string
  /** A URL; of a spider only. */
  readonly seed: string
  readonly json: boolean
}

const KINDS = ['spider', 'plugin'] as const
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/
const LONGEST_NAME = 60

/** A function cannot be called so: words of the language (ECMA-262 §12.7.2), and what the written files import. */
const TAKEN_WORDS =
  `await break case catch class const continue debugger default delete do else enum export extends false finally for function
  if implements import in instanceof interface let new null package private protected public return static super switch this throw true try
  typeof var void while with yield arguments eval definePlugin restsUntil pluginContract expect it vi`.split(/\s+/)

/** The crawl refuses two plugins of one name. */
const TAKEN_PLUGINS = ['adaptive-timeout', 'aimd', 'breaker', 'journal', 'practice-site', 'retry', 'robots']

/**
 * What was typed, checked.
 *
 * @throws AVO_USAGE, AVO_SEED_INVALID.
 */
export function newOptionsOf(typed: Readonly<Record<string, unknown>>): NewOptions {
  const kind = kindOf(textOf(typed, 'kind') ?? '')
  const name = textOf(typed, 'name') ?? ''
  if (!NAME.test(name) || name.length > LONGEST_NAME)
    throw wrong(`expected a name of at most ${LONGEST_NAME} small letters, digits and '-', got '${name}'${better(name)}`)
  const camelName = name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  if (TAKEN_WORDS.includes(camelName)) throw wrong(`expected a name that a function can have, got '${name}'; try my-${name}`)
  if (kind === 'plugin' && TAKEN_PLUGINS.includes(name))
    throw wrong(`expected a name that no built-in plugin has, got '${name}'; try my-${name}`)
  const url = textOf(typed, 'url')
  if (kind === 'plugin' && url !== undefined) throw wrong(`expected no URL for a plugin, got ${url}; a spider has one`)
  return { kind, name, camelName, seed: seedOf(url ?? `https://${name}.example/`), json: typed['json'] === true }
}

function kindOf(word: string): NewKind {
  const kind = KINDS.find((known) => known === word)
  if (kind !== undefined) return kind
  throw wrong(`expected spider or plugin, got '${word}'${didYouMean(word, KINDS)}`)
}

/** It goes between single quotes, which a URL may hold. */
function seedOf(typed: string): string {
  const url = parseUrl(checkSeedUrl(typed, 'new'))
  if (url === undefined) throw wrong(`expected a URL of at most 2,083 bytes, got one of ${typed.length}`)
  return url.replaceAll("'", '%27')
}

function better(name: string): string {
  const so = name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[-0-9]+|-+$/g, '')
  return NAME.test(so) && so.length <= LONGEST_NAME ? `; try ${so}` : ''
}

function wrong(what: string): AvocetError {
  return new AvocetError('AVO_USAGE', `new: ${what}; see avocet new --help`)
}
