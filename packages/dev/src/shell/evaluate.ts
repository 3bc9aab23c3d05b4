// Runs one piece of code: `await` at its top, the value of its last expression, and errors for the caller, where Node's REPL prints them.
//
// A script has a value of its own. Code with `await` at its top is none: it becomes the body of an async function whose last statement is
// returned, if it is an expression. Where that begins is found by trying: the last `;` or line end that leaves both sides whole.
import { Console } from 'node:console'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { constants, createContext, runInContext, Script, type Context } from 'node:vm'
import type { Page } from '@avocet/core'
import { screenOf, type Place } from '@avocet/project/place'
import { fit, formatCountOf, printable } from '@avocet/project/text'
import { pageInWords } from './shell-room.ts'

const NAME = 'avocet-shell'

/** A line that begins so goes on with the one before it. */
const GOES_ON = /^\s*(?:[-+*/%([`.,?:&|^<>=]|in\b|instanceof\b)/

/** The value of `code` in `context`; throws what it throws. A promise is waited for. */
export async function evaluate(code: string, context: Context): Promise<unknown> {
  // In a script `await (1)` is a call: what may be meant as awaiting is tried as that first.
  const script = asyncScriptOf(code) ?? scriptOf(code) ?? new Script(code, { filename: NAME })
  return (await script.runInContext(context, { breakOnSigint: true, displayErrors: false })) as unknown
}

/** A realm of its own with everything that Node has. `require` begins at `folder`; the realm's own console speaks to a debugger only. */
export function shellContext(folder: string, console: Console): Context {
  const context = createContext({})
  const itsOwn = new Set(runInContext('Object.getOwnPropertyNames(globalThis)', context) as string[])
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (itsOwn.has(name)) continue
    const set = (value: unknown): void => void Object.defineProperty(context, name, { value, configurable: true, writable: true })
    Object.defineProperty(context, name, { get: () => Reflect.get(globalThis, name) as unknown, set, configurable: true })
  }
  return Object.assign(context, { require: createRequire(join(folder, NAME)), console })
}

/** Undefined for what is no script. What begins with a brace is rather an object than a block. */
function scriptOf(code: string): Script | undefined {
  const isBraced = /^\s*\{/.test(code) && !/;\s*$/.test(code)
  return (isBraced ? compiled(`(${code.trim()}\n)`) : undefined) ?? compiled(code)
}

function asyncScriptOf(code: string): Script | undefined {
  if (!/\bawait\b/.test(code)) return undefined
  const whole = code.trimEnd().replace(/;+$/, '')
  const ends = [...whole.matchAll(/[;\n]/g)].map(({ index }) => index + 1).toReversed()
  for (const end of [...ends, 0]) {
    const [before, last] = [whole.slice(0, end), whole.slice(end)]
    if (last.trim() === '' || (before.endsWith('\n') && GOES_ON.test(last))) continue
    const script = compiled(`(async () => { ${before}\nreturn (${last}\n) })()`)
    if (script !== undefined) return script
  }
  return compiled(`(async () => { ${code}\n })()`)
}

function compiled(text: string): Script | undefined {
  try {
    return new Script(text, { filename: NAME, importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER })
  } catch {
    return undefined
  }
}

/** Where a stream is no terminal, it gets every byte. */
export function consoleFor({ stdout, stderr }: Pick<Place, 'stdout' | 'stderr'>): Console {
  const [out, err] = [stdout, stderr].map((stream) => (stream.isTTY ? screenOf(stream) : stream))
  return new Console({ stdout: out ?? stdout, stderr: err ?? stderr, colorMode: stdout.isTTY && stdout.hasColors() })
}

// A value as the shell shows it: pages and selections in a few lines, where their insides would fill the screen.

const ELEMENTS = 10
const ELEMENT_COLUMNS = 120

/** Taken from an iterator, which may have no end. */
const STEPS = 100

/** What cheerio gives. */
interface Selection {
  readonly length: number
  eq(index: number): Selection
  prop(name: 'outerHTML'): string | null | undefined
}

/** The text of it. Strings stay as they are when `plainly`, for what reads them is a program. */
export function shellValue(value: unknown, { colors, plainly }: { colors: boolean; plainly: boolean }): string {
  if (isPage(value)) return `Page ${pageInWords(value)}`
  if (isSelection(value)) return selectionInWords(value)
  if (typeof value === 'string' && plainly) return value
  const { list, hasMore } =
    value instanceof FirstValues ? value : isIterator(value) ? listOf(value) : { list: value, hasMore: false }
  const shown = inspect(list, { colors, depth: 4, maxArrayLength: 100, maxStringLength: plainly ? Infinity : 2_000 })
  return hasMore ? `${shown}\n… and more: [...value] has them all` : shown
}

/** The beginning of what an iterator gives. */
class FirstValues {
  readonly list: readonly unknown[]
  readonly hasMore: boolean

  constructor(list: readonly unknown[], hasMore: boolean) {
    this.list = list
    this.hasMore = hasMore
  }
}

/** The first values of an async iterator, for it gives them to those who wait; anything else as it is. */
export async function waitedFor(value: unknown): Promise<unknown> {
  if (!isWaitedFor(value)) return value
  const list: unknown[] = []
  for await (const each of value) {
    if (list.length === STEPS) return new FirstValues(list, true)
    list.push(each)
  }
  return new FirstValues(list, false)
}

/** Whether it is an async iterator. */
export function isWaitedFor(value: unknown): value is AsyncIterableIterator<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'next' in value
}

function isIterator(value: unknown): value is IterableIterator<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value && 'next' in value
}

/** What it gives; it is used up by that, as by anything that looks into it. */
function listOf(value: IterableIterator<unknown>): FirstValues {
  const list: unknown[] = []
  for (const each of value) {
    if (list.length === STEPS) return new FirstValues(list, true)
    list.push(each)
  }
  return new FirstValues(list, false)
}

function isPage(value: unknown): value is Page {
  return typeof value === 'object' && value !== null && 'response' in value && 'anchors' in value && 'request' in value
}

function isSelection(value: unknown): value is Selection {
  return typeof value === 'object' && value !== null && 'cheerio' in value && 'length' in value
}

function selectionInWords(selection: Selection): string {
  const shown = Array.from({ length: Math.min(selection.length, ELEMENTS) }, (_, index) => {
    const markup = selection.eq(index).prop('outerHTML') ?? '(text)'
    return `  ${fit(printable(markup.replace(/\s+/g, ' ')), ELEMENT_COLUMNS)}`
  })
  const more = selection.length - shown.length
  return [formatCountOf(selection.length, 'element'), ...shown, ...(more > 0 ? [`  … and ${more} more`] : [])].join('\n')
}
