// A saver of a plugin as the fetcher calls it: what it throws is the failure of the one exchange, and its end comes once.
import type { BodySaver } from '../ports/fetcher.ts'
import { messageOf } from '../values/errors.ts'
import { failure, type Failure } from '../ports/failure.ts'
import { headerOf, type ResponseHead } from '../ports/response.ts'

/** Whose saver it is, and for what. */
interface SaverOf {
  /** Name of the plugin. */
  readonly by: string
  /** A page in place of the file says something. */
  readonly readsPages: boolean
}

/** `saver` of a plugin. None of its calls throws. */
export function guardedSaver(saver: BodySaver, { by, readsPages }: SaverOf): BodySaver {
  const threw = (call: string, error: unknown): Failure =>
    failure('AVO_PLUGIN_THREW', `plugin ${by} threw in ${call} of its saver: ${messageOf(error)}`, { cause: error })
  const guarded = <Answer>(call: string, ask: () => Answer): Answer | Failure => {
    try {
      return ask()
    } catch (error) {
      return threw(call, error)
    }
  }
  return {
    headers: saver.headers,
    maxBytes: saver.maxBytes,
    accepts: (head) => (readsPages && isPage(head) ? 'read' : guarded('accepts', () => saver.accepts(head))),
    write: (piece) => guarded('write', () => saver.write(piece)),
    drained(callback) {
      const trouble = guarded('drained', () => saver.drained(callback))
      if (trouble !== undefined) callback(trouble)
    },
    end(done) {
      const trouble = guarded('end', () => saver.end(done))
      if (trouble !== undefined) done(trouble)
    },
    // The exchange has ended another way, which is what counts.
    abort: () => void guarded('abort', () => saver.abort()),
  }
}

/** A whole one: of a part, the rest is on the disk. */
function isPage({ status, headers }: ResponseHead): boolean {
  return status === 200 && /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(headerOf(headers, 'content-type') ?? '')
}
