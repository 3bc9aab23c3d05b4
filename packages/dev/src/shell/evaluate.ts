// Runs one piece of code: `await` at its top, the value of its last expression, and errors for the caller, where Node's REPL prints them.
//
// A script has a value of its own. Code with `await` at its top is none: it becomes the body of an async function whose last statement is
// returned, if it is an expression. Where that begins is found by trying: the last `;` or line end that leaves both sides whole.
import { Console } from 'node:console'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { constants, createContext, runInContext, Script, type Context } from 'node:vm'
import { screenOf, type Place } from '@avocet/project/place'

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
