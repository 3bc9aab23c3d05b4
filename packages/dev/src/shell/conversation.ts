// The shell at a terminal: Node's REPL with a banner, and without a need for `await` where a promise stands alone.
import { start, type REPLEval, type REPLServer } from 'node:repl'
import { isPromise } from 'node:util/types'
import { messageOf } from '@avocet/core/store'
import { print, say, type Place } from '@avocet/project/place'
import { printableLine } from '@avocet/project/text'
import { consoleFor, isWaitedFor, shellValue, waitedFor } from './evaluate.ts'
import type { ShellRoom } from './shell-room.ts'

/** Talks until Ctrl-D. */
export async function converse(room: ShellRoom, place: Place): Promise<void> {
  const { stdin, stdout, paint } = place
  const [title = '', ...rest] = bannerLines(room.title)
  await print(stdout, [paint('title', title), ...rest])
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
    writer: (value: unknown) => shellValue(value, { colors, plainly: false }).split('\n').map(printableLine).join('\n'),
  })
  const furnish = (context: object): void => {
    room.furnish(context)
    Object.assign(context, { console: consoleFor(place) })
  }
  furnish(server.context)
  server.on('reset', furnish)
  Object.assign(server, { eval: awaiting(server.eval) })
  const over = new Promise<void>((resolve) => server.on('exit', resolve))
  server.defineCommand('reload', {
    help: 'Load the spider again, as its file is now',
    action: () => void reload(room, server, place),
  })
  await over
}

/** Six lines. */
export function bannerLines(title: string): string[] {
  return [
    title,
    "  page, $('css'), text('css'), links('css')   the page, and what is on it",
    "  items('handler', { id: 7 })                 what a handler makes of it",
    "  fetch('/other', { method: 'POST', body })   the next page, in its turn",
    '  fetch(page.url, { refetch: true })          anew, though its response is kept',
    '  await works at the top; .reload loads the spider again; Ctrl-D ends',
  ]
}

function awaiting(evalOnce: REPLEval): REPLEval {
  return function evalAndWait(code, context, file, answer) {
    evalOnce.call(this, code, context, file, (error, value: unknown) => {
      const fail = (thrown: unknown): void => answer(thrown as Error, undefined)
      const settle = (settled: unknown): void => void waitedFor(settled).then((waited) => answer(null, waited), fail)
      if (error !== null) answer(error, value)
      else if (isPromise(value)) value.then(settle, fail)
      else if (isWaitedFor(value)) settle(value)
      else answer(null, value)
    })
  }
}

async function reload(room: ShellRoom, server: REPLServer, { stderr }: Place): Promise<void> {
  say(stderr, await room.reload().catch((error: unknown) => messageOf(error)))
  server.displayPrompt()
}
