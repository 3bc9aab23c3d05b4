// The shell at a terminal: Node's REPL with a banner and a history, and without a need for `await` where a promise stands alone.
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { start, type REPLEval, type REPLServer } from 'node:repl'
import { isPromise } from 'node:util/types'
import { print } from '../output/people.ts'
import type { Place } from '../place.ts'
import { printableLine } from '../text/printable.ts'
import { consoleFor } from './evaluate.ts'
import type { ShellRoom } from './shell-room.ts'
import { shellValue } from './shell-value.ts'

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

async function remember(server: REPLServer): Promise<void> {
  const path = await historyIn(homedir())
  if (path !== undefined) await new Promise<void>((resolve) => server.setupHistory(path, () => resolve()))
}

const NAME = '.avocet_shell_history'
const OWNER_ONLY = 0o600

/** The file in `home`, made if need be; undefined where there can be none: a shell without a history is one, too. */
export async function historyIn(home: string): Promise<string | undefined> {
  const path = join(home, NAME)
  try {
    const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, OWNER_ONLY)
    try {
      // One that is there may be an earlier version's.
      await file.chmod(OWNER_ONLY)
      return (await file.stat()).isFile() ? path : undefined
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}
