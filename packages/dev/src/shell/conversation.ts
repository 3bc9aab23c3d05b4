// The shell at a terminal: Node's REPL with a banner and a history, and without a need for `await` where a promise stands alone.
import { constants, existsSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Recoverable, start, type REPLEval, type REPLServer } from 'node:repl'
import { isPromise } from 'node:util/types'
import { messageOf } from '@avocet/core/store'
import { isSecretName, withoutCredentials } from '@avocet/plugin-secrets/names'
import { print, say, type Place } from '@avocet/project/place'
import { storeFolder } from '@avocet/project/store'
import { columnsOf, fold, printableLine, screenColumns } from '@avocet/project/text'
import { consoleFor, isWaitedFor, shellValue, waitedFor } from './evaluate.ts'
import type { ShellRoom } from './shell-room.ts'

/** Talks until Ctrl-D. */
export async function converse(room: ShellRoom, place: Place, secretParameters?: readonly string[]): Promise<void> {
  const { stdin, stdout, paint, folder } = place
  const [title = '', ...rest] = bannerLines(room.title)
  await print(stdout, [paint('title', title), ...rest])
  const colors = stdout.isTTY && stdout.hasColors()
  // Before the first prompt: a line may be typed ahead.
  const path = (await historyOf(folder)) ?? (await historyIn(homedir()))
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
  const threw: Threw = { isLast: false }
  Object.assign(server, { eval: awaiting(server.eval, threw) })
  const over = new Promise<void>((resolve) => server.on('exit', resolve))
  server.defineCommand('reload', {
    help: 'Load the spider again, as its file is now',
    action: () => void reload(room, server, place),
  })
  server.defineCommand('help', {
    help: 'List what there is',
    action: () => void help(server, place),
  })
  if (path !== undefined) await remember(server, path, { threw, secretParameters })
  await over
}

/** Five lines. */
export function bannerLines(title: string): string[] {
  return [
    title,
    "  page, $('css'), text('css'), links('css')   the page, and what is on it",
    "  items('handler')                            what a handler makes of it",
    "  fetch('/other')                             the next page, in its turn",
    '  await works at the top; .help lists all, with examples; Ctrl-D ends',
  ]
}

/** Whether the last piece of code threw. */
interface Threw {
  isLast: boolean
}

function awaiting(evalOnce: REPLEval, threw: Threw): REPLEval {
  return function evalAndWait(code, context, file, answer) {
    const done: typeof answer = (error, value) => {
      threw.isLast = error !== null && !(error instanceof Recoverable)
      answer(error, value)
    }
    evalOnce.call(this, code, context, file, (error, value: unknown) => {
      const settle = (settled: unknown): void =>
        void waitedFor(settled).then((waited) => done(null, waited), (thrown: unknown) => done(thrown as Error, undefined)) // prettier-ignore
      if (error !== null) done(error, value)
      else if (isPromise(value))
        value.then(settle, (thrown: unknown) => done(thrown as Error, undefined)) // prettier-ignore
      else if (isWaitedFor(value)) settle(value)
      else done(null, value)
    })
  }
}

async function reload(room: ShellRoom, server: REPLServer, { stderr }: Place): Promise<void> {
  say(stderr, await room.reload().catch((error: unknown) => messageOf(error)))
  server.displayPrompt()
}

async function help(server: REPLServer, { stdout }: Place): Promise<void> {
  await print(stdout, shellHelp(screenColumns(stdout), server.commands))
  server.displayPrompt()
}

/** What becomes of lines. */
interface Remembered {
  readonly threw: Threw
  readonly secretParameters?: readonly string[] | undefined
}

async function remember(server: REPLServer, path: string, { threw, secretParameters }: Remembered): Promise<void> {
  let last: string | undefined
  // Of Node's readline: the new line is the first, and what is changed here is what is kept.
  server.on('history', (lines: string[]) => {
    // Node takes out a line that threw when the next one comes: who looks for a mistake wants to see it again.
    if (threw.isLast && last !== undefined && !lines.slice(0, 2).includes(last)) lines.splice(1, 0, last)
    threw.isLast = false
    const kept = keptLine(lines[0] ?? '', secretParameters)
    if (kept === undefined) lines.shift()
    else lines[0] = kept
    last = lines[0]
  })
  await new Promise<void>((resolve) => server.setupHistory(path, () => resolve()))
}

/** Longer lines were pasted. */
const MAX_LINE = 2_000

/** `name: …`, `name = …`, `{ 'name': … }`, `fields['name'] = …`, `fields.set('name', …)`. */
const NAME_IN_LINE = /(?<![\w$-])(?:([\w$-]+)(?:["'`]\]?)?\s*[:=]|["'`]([\w$-]+)["'`]\s*,)/g
const QUERY_IN_LINE = /\?[^\s"'`)]+/g
const URL_IN_LINE = /https?:\/\/[^\s"'`)]+/g

/** A line as it is kept: URLs without their secrets; undefined for one that gives a secret by its name, or is too long. */
export function keptLine(line: string, secretParameters: readonly string[] = []): string | undefined {
  const whole = line.replace(URL_IN_LINE, (url) => withoutCredentials(url, secretParameters))
  // Relative ones begin in any way; their query does not.
  const kept = whole.replace(QUERY_IN_LINE, (query) => withoutCredentials(query, secretParameters))
  const rest = kept.replace(URL_IN_LINE, '')
  return kept.length > MAX_LINE || namesIn(rest).some(isSecretName) ? undefined : kept
}

/** Names that a line gives values. */
function namesIn(line: string): readonly string[] {
  return [...line.matchAll(NAME_IN_LINE)].map(([, given, argument]) => given ?? argument ?? '')
}

/** In a project, its own, beside its stores; undefined where there is none. */
async function historyOf(folder: string): Promise<string | undefined> {
  if (!existsSync(join(folder, 'package.json')) && !existsSync(storeFolder(folder))) return undefined
  const made = await mkdir(storeFolder(folder), { recursive: true, mode: 0o700 }).then(() => true, () => false) // prettier-ignore
  return made ? historyIn(storeFolder(folder), 'shell_history') : undefined
}

const NAME = '.avocet_shell_history'
const OWNER_ONLY = 0o600

/** The file in `folder`, made if need be; undefined where there can be none: a shell without a history is one, too. */
export async function historyIn(folder: string, name: string = NAME): Promise<string | undefined> {
  const path = join(folder, name)
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

// What `.help` of the shell says: what there is inside, with an example of each, and the REPL's own commands below it.

/** What to write, and what it gives. */
type Row = readonly [example: string, text: string]

const INSIDE: readonly Row[] = [
  ['page.title', 'the page at hand; page.url, page.request.data, page.body'],
  ["$('h1').text()", 'cheerio on it'],
  ["text('h1')", 'the text of what a selector finds'],
  ["links('.offer a')", 'links of the page, or those that a selector finds'],
  ['items()', "items of the page, from the crawl's handler for it, or start"],
  ["items('offer', { id: 7 })", 'items from this handler, called with this data'],
  ["fetch('/offer/7')", 'another page, in its turn; from then on it is page'],
  ["fetch('/search', { method: 'POST', body: 'q=tea' })", 'with a method, a body, headers'],
  ['fetch(page.url, { refetch: true })', 'the page anew, even if its response is kept'],
  ['spider.handlers', 'the spider of --spider, or of the configuration'],
]

const EXAMPLE_COLUMNS = 30
const MIN_TEXT_COLUMNS = 20

/** Lines of at most `columns`. `commands`: of a REPL, by name. */
function shellHelp(
  columns: number,
  commands: Readonly<Record<string, { readonly help?: string | undefined } | undefined>>,
): string[] {
  const own = Object.entries(commands).map(([name, command]): Row => [`.${name}`, command?.help ?? ''])
  const rows = [...INSIDE, ...own.toSorted(([a], [b]) => (a < b ? -1 : 1))]
  return rows.flatMap(([example, text]) => {
    const [first = '', ...more] = fold(text, Math.max(MIN_TEXT_COLUMNS, columns - EXAMPLE_COLUMNS - 2))
    const below = more.map((line) => ' '.repeat(EXAMPLE_COLUMNS) + line)
    const row = `  ${example}`.padEnd(EXAMPLE_COLUMNS)
    return columnsOf(row) > EXAMPLE_COLUMNS
      ? [`  ${example}`, ' '.repeat(EXAMPLE_COLUMNS) + first, ...below]
      : [row + first, ...below]
  })
}
