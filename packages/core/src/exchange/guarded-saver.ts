// A saver of a plugin as the fetcher calls it: what it throws is the failure of the one exchange, and its end comes once.
import type { BodySaver } from '../body-saver.ts'
import { messageOf } from '../errors.ts'
import { failure, type Failure } from '../failure.ts'

/** `saver` of the plugin `by`. None of its calls throws. */
export function guardedSaver(saver: BodySaver, by: string): BodySaver {
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
    accepts: (head) => guarded('accepts', () => saver.accepts(head)),
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
