// A spider that takes arguments: what they are called and what kind they are, so that `-a ctiy=berlin` is refused, and a number comes as a number.
//
// The declaration stands beside the function that makes the spider, and the compiler infers the types of its arguments from it. A Standard Schema
// (standardschema.dev) may take its place: Zod, Valibot and ArkType are some; this imports none of them.
import { AvocetError, type Spider } from '@avocet/core'
import { didYouMean } from '@avocet/core/plugin'
import { shown } from '@avocet/core/store'

interface Kinds {
  readonly text: string
  readonly number: number
  readonly flag: boolean
}

/** What an argument is: its kind alone where it is required (a flag is `false` where it is not given), or with a default. */
type ArgumentRule = keyof Kinds | { readonly [Kind in keyof Kinds]: ArgumentOptions<Kind> }[keyof Kinds]

/** An argument that is more than its kind. `Kinds` are `text` (a string), `number` and `flag` (a boolean). */
interface ArgumentOptions<Kind extends keyof Kinds> {
  /** Its kind. */
  readonly type: Kind
  /** Its value where none is given. */
  readonly default?: Kinds[Kind]
  /** May be left out, and is `undefined` then. */
  readonly optional?: true
  /** What it is, for `avocet crawl spider.ts --help`. */
  readonly describe?: string
}

/** Arguments by name. */
export type ArgumentRules = Readonly<Record<string, ArgumentRule>>

/** What the function that makes the spider gets. */
export type ArgumentsOf<Rules> = { readonly [Name in keyof Rules]: ValueOf<Rules[Name]> }
type ValueOf<Rule> = Rule extends keyof Kinds
  ? Kinds[Rule]
  : Rule extends { readonly type: infer Kind extends keyof Kinds }
    ? Kinds[Kind] | (Rule extends { readonly optional: true } ? undefined : never)
    : never

/** A schema of any library that follows Standard Schema, version 1. */
export interface ArgumentSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] }

/** What a spider file exports that takes arguments: called with texts as they are typed after `-a`, or with values. */
export interface SpiderMaker<Item = unknown> {
  (given?: Readonly<Record<string, unknown>>): Promise<Spider<Item, unknown>>
  /** Absent where a schema says it. */
  readonly takes?: ArgumentRules
}

/**
 * Declares a spider that takes arguments, `-a city=berlin` on the command line, by name and kind: `text`, `number` or `flag`. A
 * kind alone is required; an object has a default or makes it optional. A Standard Schema may stand in place of the names. What
 * is wrong throws AVO_USAGE. `avocet crawl FILE --help` shows what a spider takes. In a test, call what it returns:
 * `await offers({ city: 'berlin' })`. Put what tells crawls apart into the name of the spider, as it names the store.
 * @example
 * ```ts
 * // offers.ts
 * import { spider, spiderWith } from 'avocet'
 *
 * export default spiderWith({ city: 'text', pages: { type: 'number', default: 10 } }, ({ city, pages }) =>
 *   spider({
 *     name: `offers-${city}`,
 *     seeds: [`https://shop.example/${city}?pages=${pages}`],
 *     handlers: { *start(page) { yield { title: page.title } } },
 *   }),
 * )
 * ```
 */
export function spiderWith<const Rules extends ArgumentRules, Item>(
  rules: Rules,
  make: (values: ArgumentsOf<Rules>) => Spider<Item, unknown> | Promise<Spider<Item, unknown>>,
): SpiderMaker<Item>
export function spiderWith<Output, Item>(
  schema: ArgumentSchema<Output>,
  make: (values: Output) => Spider<Item, unknown> | Promise<Spider<Item, unknown>>,
): SpiderMaker<Item>
export function spiderWith(
  declared: ArgumentRules | ArgumentSchema,
  make: (values: never) => Spider | Promise<Spider>,
): SpiderMaker {
  if (isSchema(declared)) return async (given = {}) => make((await validated(declared, given)) as never)
  for (const [name, rule] of Object.entries(declared)) checkKind(name, rule)
  return Object.assign(async (given = {}) => make(valuesOf(declared, given) as never), { takes: declared })
}

/** JavaScript declares what it likes. */
function checkKind(name: string, rule: ArgumentRule): void {
  const type = typeof rule === 'string' ? rule : rule.type
  if (!Object.hasOwn(READERS, type))
    throw wrong(`expected ${Object.keys(READERS).join(', ')} as the type of ${name}, got ${shown(type)}`)
}

function isSchema(declared: object): declared is ArgumentSchema {
  return '~standard' in declared
}

async function validated(schema: ArgumentSchema, given: object): Promise<unknown> {
  const result = await schema['~standard'].validate(given)
  if (result.issues === undefined) return result.value
  const [issue] = result.issues
  const name = issue?.path?.map((part) => String(typeof part === 'object' && part !== null ? Reflect.get(part, 'key') : part))
  throw wrong(
    `${name === undefined || name.length === 0 ? '' : `${name.join('.')}: `}${issue?.message ?? 'the schema refused them'}`,
  )
}

function valuesOf(rules: ArgumentRules, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = Object.keys(rules)
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(rules, name))
  if (unknown !== undefined)
    throw wrong(`expected ${names.length === 0 ? 'no argument' : names.join(', ')}, got ${unknown}${didYouMean(unknown, names)}`)
  return Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => [
      name,
      valueOf(name, rule, Object.hasOwn(given, name) ? given[name] : undefined),
    ]),
  )
}

function valueOf(name: string, rule: ArgumentRule, got: unknown): unknown {
  const { type, default: usual, optional }: ArgumentOptions<keyof Kinds> = typeof rule === 'string' ? { type: rule } : rule
  if (got === undefined) {
    if (usual !== undefined || optional === true) return usual
    if (type === 'flag') return false
    throw wrong(`expected a ${type} for ${name}, got nothing; write it like -a ${name}=${EXAMPLES[type]}`)
  }
  const value = READERS[type](got)
  // Typed by a script whose variable is not set. A spider that takes an empty text declares it as optional, or gives its default.
  const isLost = value === '' && usual === undefined && optional !== true
  if (value !== undefined && !isLost) return value
  const way = isLost ? `, or declare that it may be empty: ${name}: { type: 'text', default: '' }` : ''
  throw wrong(`expected a ${type} for ${name}, got ${shown(got)}; write it like -a ${name}=${EXAMPLES[type]}${way}`)
}

const EXAMPLES = { text: 'berlin', number: '10', flag: 'true' } as const

/** Texts are read as they are typed, values taken as they are. */
const READERS: { readonly [Kind in keyof Kinds]: (got: unknown) => Kinds[Kind] | undefined } = {
  text: (got) => (typeof got === 'string' ? got : undefined),
  number(got) {
    const number = typeof got === 'string' && got.trim() !== '' ? Number(got) : got
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined
  },
  flag: (got) => (got === true || got === 'true' ? true : got === false || got === 'false' ? false : undefined),
}

function wrong(what: string): AvocetError {
  return new AvocetError('AVO_USAGE', `arguments of the spider (-a): ${what}`)
}
