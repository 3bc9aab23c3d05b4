// A page that failed in its handler: the error that the user's code threw, with the line where it happened, and what becomes of the page.
import type { handlerVotes } from '../hooks/votes.ts'
import { reasonOf, type Failure, type HandlerFailure } from '../ports/failure.ts'
import type { Fetched, Outcome } from '../ports/frontier.ts'
import type { HandlerError } from '../ports/handler-error.ts'
import { userLine } from '../process/user-line.ts'
import { AvocetError, kindAndMessageOf, messageOf } from '../values/errors.ts'
import { beginningOf } from '../values/shown.ts'
import { withoutUserinfo } from '../values/userinfo.ts'

const MOST_CHARACTERS = 300
const MOST_OF_STACK = 4_000

/** The failure with the error in it, as reports group it. What was thrown may be anything, also something that throws when it is read. */
export function withHandlerError(failure: Failure): HandlerFailure {
  try {
    return { ...failure, handlerError: handlerErrorOf(failure) }
  } catch {
    return { ...failure, handlerError: { code: failure.code, message: shortened(failure.message) } }
  }
}

/** What becomes of the page: it waits for another attempt where a plugin wants that, and is settled as failed otherwise. */
export function outcomeOfError({ failure, verdict }: ReturnType<typeof handlerVotes>, fetched: Fetched): Outcome {
  if (verdict.kind === 'retry') return { ...verdict, fetched }
  return { kind: 'failed', reason: verdict.kind === 'drop' ? verdict.reason : reasonOf(failure.code), failure, fetched }
}

function handlerErrorOf({ code, message, cause: said }: Failure): HandlerError {
  // What a plugin threw is in the error that names the plugin.
  const cause = code === 'AVO_PLUGIN_THREW' && said instanceof AvocetError ? (said.cause ?? said) : said
  const place = userLine(cause)
  const stack = cause instanceof Error ? cause.stack : undefined
  const thrown = code === 'AVO_HANDLER_THREW' ? thrownAs(cause, message) : message
  return {
    code,
    message: shortened(withoutUserinfo(thrown)),
    ...(place !== undefined && { place }),
    ...(stack !== undefined && { stack: withoutUserinfo(beginningOf(stack, MOST_OF_STACK)) }),
  }
}

function thrownAs(cause: unknown, message: string): string {
  if (cause === undefined) return message
  return cause instanceof Error ? kindAndMessageOf(cause) : `threw ${messageOf(cause)}`
}

/** The first line; where the rest is cut off within a parenthesis, that is closed. */
function shortened(message: string): string {
  const [line = ''] = message.split('\n', 1)
  if (line.length === message.length && line.length <= MOST_CHARACTERS) return line
  const cut = line.length > MOST_CHARACTERS ? `${beginningOf(line, MOST_CHARACTERS - 2)}…` : line
  if (cut.lastIndexOf('(') <= cut.lastIndexOf(')')) return cut
  return cut.endsWith('…') ? `${cut})` : `${beginningOf(cut, MOST_CHARACTERS - 2)}…)`
}
