// Whether a value is a spider: its shape, its name, its scope, and nothing unknown in it. One check, for files that are loaded and for crawls that are made.
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Scope, Spider } from '@avocet/core'
import { didYouMean, option, type OptionRules } from '@avocet/core/plugin'
import { shown } from '@avocet/core/store'

const { atLeast, callback, flag, hasMembers, listOf, memberProblems, needed, oneOf, orInfinity, recordOf, satisfying } = option
const { strangerIn, synchronous, tableOf, wholeNumber } = option

/** Those of a file may be of another realm. */
const isRegExp = (value: unknown): boolean => Object.prototype.toString.call(value) === '[object RegExp]'
const PATTERNS = listOf(satisfying('a regular expression such as /page/', isRegExp))
const HOSTS = listOf(satisfying("the name of a host such as 'shop.example'", (value) => typeof value === 'string'))

const SCOPE: OptionRules<Scope> = {
  within: oneOf('seed-hosts', 'seed-domains', 'any'),
  hosts: HOSTS,
  blockedHosts: HOSTS,
  maxDepth: orInfinity(atLeast(0)),
  allow: PATTERNS,
  deny: PATTERNS,
  dropParameters: tableOf<NonNullable<Scope['dropParameters']>>({
    tracking: flag,
    sessions: flag,
    // A star at the end stands for anything, but not alone: a site needs some of its parameters.
    names: listOf(
      satisfying(
        "the name of a query parameter, such as 'ref' or 'ref_*'",
        (name) => typeof name === 'string' && /^[^\s?&;=#,*]+\*?$/.test(name),
      ),
    ),
  }),
}

const LOGIN: OptionRules<NonNullable<Spider['login']>> = {
  url: needed(
    satisfying(
      'the absolute http(s) URL of the page with the form',
      (url) => typeof url === 'string' && /^https?:\/\/[^/]/i.test(url) && URL.canParse(url),
    ),
  ),
  submit: needed(callback),
  isLoggedOut: needed(synchronous),
}

const SCHEMA = satisfying('a schema that follows Standard Schema 1, such as z.object({ … }), or { key, watch }', isStandardSchema)
const FIELD = satisfying("the name of a field of the items, such as 'sku'", (name) => typeof name === 'string' && name !== '')
const WATCHED = tableOf<Extract<NonNullable<Spider['items']>, { readonly key: string }>>({
  schema: SCHEMA,
  key: needed(FIELD),
  watch: needed(listOf(FIELD)),
  goneAfterVisits: wholeNumber(1),
})

const SPIDER: OptionRules<Spider> = {
  // It becomes the name of a file: no way out of the folder, and no hidden file.
  name: needed(
    satisfying(
      "made of letters, digits, '-', '_' and '.'",
      (name) => typeof name === 'string' && /^[\w-][\w.-]{0,99}$/.test(name),
    ),
  ),
  // Each seed is checked where it is read.
  seeds: needed(
    satisfying('a list of URLs or a function that gives them', (seeds) => typeof seeds === 'function' || Array.isArray(seeds)),
  ),
  scope: tableOf(SCOPE),
  accepts: callback,
  items: {
    expected: SCHEMA.expected,
    problem: (value, path) => (hasMembers(value) && 'watch' in value ? WATCHED : SCHEMA).problem(value, path),
  },
  handlers: needed({ expected: '{ *start(page) { … } }', problem: handlersProblem }),
  login: tableOf(LOGIN),
  unchanged: callback,
}

/** What is wrong with a spider, a sentence for each of its parts. */
export function spiderProblems(value: unknown): readonly string[] {
  if (typeof value === 'function')
    return ['expected a spider, got a function that makes one of arguments; call it: await shop({ … })']
  if (!hasMembers(value)) return [`expected a spider, spider({ name, seeds, handlers }), got ${shown(value)}`]
  const stranger = strangerIn(value, SPIDER)
  return stranger === undefined ? memberProblems(value, SPIDER, '') : [`a spider has ${stranger}`]
}

/** ArkType's are functions. */
function isStandardSchema(value: unknown): boolean {
  const { '~standard': standard } = (value ?? {}) as Partial<StandardSchemaV1>
  return standard?.version === 1 && typeof standard.validate === 'function'
}

function handlersProblem(handlers: unknown, path: string): string | undefined {
  const problem = recordOf(callback).problem(handlers, path)
  if (problem !== undefined || Object.hasOwn(handlers as object, 'start')) return problem
  const names = Object.keys(handlers as object)
  const found = names.length === 0 ? 'none' : `${names.join(', ')}${didYouMean('start', names)}`
  return `expected a handler 'start' for the seeds, found ${found}`
}
