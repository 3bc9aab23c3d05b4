// The shell at a terminal: Node's REPL with a banner and a history, and without a need for `await` where a promise stands alone.
import { open } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { start, type REPLEval, type REPLServer } from 'node:repl'
import { isPromise } from 'node:util/types'
import type { Place } from '../place.ts'
import type { ShellRoom } from './shell-room.ts'
import { shellValue } from './shell-value.ts'

const HISTORY_FILE = '.avocet_shell_history'

/** Talks until Ctrl-D. */
export async function converse(room: ShellRoom, { stdin, stdout, paint }: Place): Promise<void> {
  const [title = '', ...rest] = bannerLines(room.title)
  stdout.write(`${[paint('title', title), ...rest].join('\n')}\n`)
  const colors = stdout.isTTY && stdout.hasColors()
  const server = start({
    prompt: 'avocet> ',
    input: stdin,
    output: stdout,
    terminal: stdout.isTTY,
    useGlobal: false,
    useColors: colors,
    // Ctrl-C ends a loop without an end.
    breakEvalOnSigint: true,
    writer: (value: unknown) => shellValue(value, { colors, plainly: false }),
  })
  room.furnish(server.context)
  server.on('reset', (context: object) => room.furnish(context))
  Object.assign(server, { eval: awaiting(server.eval) })
  const over = new Promise<void>((resolve) => server.on('exit', resolve))
  await remember(server)
  await over
}

/** Five lines. */
export function bannerLines(title: string): string[] {
  return [
    title,
    "  page, $('css'), text('css'), links('css')   the page, and what is on it",
    "  items('handler')                            what a handler makes of it",
    "  fetch('/other')                             the next page, in its turn",
    '  await works at the top; .help has more; Ctrl-D ends',
  ]
}

function awaiting(evalOnce: REPLEval): REPLEval {
  return function evalAndWait(code, context, file, done) {
    evalOnce.call(this, code, context, file, (error, value: unknown) => {
      if (error !== null || !isPromise(value)) done(error, value)
      else value.then((settled) => done(null, settled), (thrown: unknown) => done(thrown as Error, undefined)) // prettier-ignore
    })
  }
}

/** In the user's home, if it can be written; a shell without a history is one, too. */
async function remember(server: REPLServer): Promise<void> {
  const path = join(homedir(), HISTORY_FILE)
  try {
    await (await open(path, 'a+', 0o600)).close()
  } catch {
    return
  }
  await new Promise<void>((resolve) => server.setupHistory(path, () => resolve()))
}
