// The line at which a generator of the user's stands: what it yielded there is none, but nothing of the user's code is on the stack any more.
//
// The engine of JavaScript knows where a generator is suspended, and says so to debuggers: so this asks as one, within the process. Nobody pays for it but
// a page that failed anyway: 0.2 ms, for a script that was not met before 4 to 35 ms, and for the first page of a process 70 to 190 ms. Where Node.js was
// built without an inspector there is no line, and the message says what it can.
import type { Session } from 'node:inspector'
import { fileURLToPath } from 'node:url'

/** Files by number of the script, as far as they were met. */
const files = new Map<string, string>()
/** Scripts of no file that a generator was of: what `eval` or a `Function` made. It costs as much to look for those again as for the first time. */
const fileless = new Set<string>()
/** With more of them every page makes its own: then those that are not known are looked for no more. */
const MAX_FILELESS = 100
/** Under which the generator can be named while it is asked about. */
const NAME = '__avocetSuspended'

interface Location {
  readonly scriptId: string
  readonly lineNumber: number
  readonly columnNumber?: number
}

/** `/home/me/spider.ts:12:9`; undefined for what is no suspended generator, or of no file. */
export function yieldLine(generator: unknown): string | undefined {
  try {
    const inspector = process.getBuiltinModule('node:inspector')
    const session = new inspector.Session()
    session.connect()
    try {
      const at = locationIn(session, generator)
      const file = at && fileOf(session, at.scriptId)
      return at && file && `${file}:${at.lineNumber + 1}:${(at.columnNumber ?? 0) + 1}`
    } finally {
      session.disconnect()
    }
  } catch {
    return undefined
  }
}

/** The same error, with the line where its stack has the user's code. */
export function errorAt(error: unknown, place: string | undefined): unknown {
  if (place !== undefined && error instanceof Error) error.stack = `${error.name}: ${error.message}\n    at ${place}`
  return error
}

function locationIn(session: Session, generator: unknown): Location | undefined {
  const world = globalThis as Record<string, unknown>
  world[NAME] = generator
  let location: Location | undefined
  // Within the process the answers come before `post` returns.
  session.post('Runtime.evaluate', { expression: NAME }, (_failed, { result }) => {
    if (result.objectId === undefined) return
    session.post('Runtime.getProperties', { objectId: result.objectId, ownProperties: true }, (_none, { internalProperties }) => {
      const found = internalProperties?.find(({ name }) => name === '[[GeneratorLocation]]')
      location = found?.value?.value as Location | undefined
    })
  })
  delete world[NAME]
  return location
}

/** Debuggers are told every script once they listen: only when one is not known yet. */
function fileOf(session: Session, scriptId: string): string | undefined {
  if (!files.has(scriptId) && !fileless.has(scriptId) && fileless.size < MAX_FILELESS) {
    session.on('Debugger.scriptParsed', ({ params }) => {
      if (params.url.startsWith('file:')) files.set(params.scriptId, fileURLToPath(params.url))
      else if (params.url.startsWith('/')) files.set(params.scriptId, params.url)
    })
    session.post('Debugger.enable')
    session.post('Debugger.disable')
    if (!files.has(scriptId)) fileless.add(scriptId)
  }
  return files.get(scriptId)
}
