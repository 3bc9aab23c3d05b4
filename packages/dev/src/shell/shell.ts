// `avocet shell`: a page at hand, to try selectors and handlers on: at a terminal a conversation, otherwise one piece of code.
import { dirname, resolve, sep } from 'node:path'
import { text } from 'node:stream/consumers'
import { isNativeError } from 'node:util/types'
import { AvocetError, type Spider } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import type { ExitCode } from '@avocet/project/command'
import { namedSpider, reloadBelow, spiderToReload } from '@avocet/project/load'
import { forgiveRejections, print, say, writeAsIs, type Place } from '@avocet/project/place'
import { printable } from '@avocet/project/text'
import type { VisitWish } from '../fetch/visit-flags.ts'
import { visitSession } from '../fetch/visit-session.ts'
import { leftOutOfItems } from '../parse/handled-page.ts'
import { consoleFor, evaluate, shellContext, shellValue, waitedFor } from './evaluate.ts'
import { NoPage, ShellRoom } from './shell-room.ts'

/** What was typed. */
export interface ShellOptions extends VisitWish {
  /** A URL or a file to begin with. */
  readonly target?: string
  readonly code?: string
  readonly spiderPath?: string
  readonly url?: string
}

/** Opens the shell. Throws AVO_USAGE for code that throws, AVO_SPIDER_…, AVO_CONFIG_INVALID, AVO_SEED_INVALID. */
export async function shellCommand(options: ShellOptions, place: Place): Promise<ExitCode> {
  const { folder, stdin, stderr } = place
  const isConversation = options.code === undefined && stdin.isTTY
  const { spider, named } = await spiderToReload(options, place)
  const session = await visitSession(options, place, {
    spider,
    ...(isConversation && { refetchBy: 'fetch(page.url, { refetch: true })' }),
  })
  const tell = (line: string): void => say(stderr, printable(line))
  if (spider !== undefined) say(stderr, leftOutOfItems(session.config, 'items()'))
  const room = new ShellRoom({ session, spider, folder, say: tell, load: () => reloaded(named, place) })
  try {
    if (options.target !== undefined) await enter(room, options, isConversation ? tell : undefined)
    if (isConversation) {
      await (await import('./conversation.ts')).converse(room, place)
      return 0
    }
    using _rejections = forgiveRejections(place.events, tell)
    await runOnce(room, options.code ?? (await text(stdin)), place)
    return room.code
  } catch (error) {
    if (!(error instanceof NoPage)) throw error
    tell(`avocet: shell: ${error.message}`)
    return error.code
  } finally {
    await session.close()
  }
}

function reloaded(options: ShellOptions, place: Place): Promise<Spider | undefined> {
  const { folder } = place
  const file = resolve(folder, options.spiderPath ?? '')
  // What the spider imports may be in another folder of the project.
  reloadBelow(file.startsWith(`${folder}${sep}`) || file === folder ? folder : dirname(file))
  return namedSpider(options, place)
}

/** In a conversation one goes on without the page; code that wants it cannot. */
async function enter(
  room: ShellRoom,
  { target = '', url }: ShellOptions,
  tell: ((line: string) => void) | undefined,
): Promise<void> {
  try {
    await room.enter(target, url)
  } catch (error) {
    if (tell === undefined || !(error instanceof NoPage)) throw error
    tell(error.message)
  }
}

async function runOnce(room: ShellRoom, code: string, place: Place): Promise<void> {
  const { stdout, folder } = place
  const context = shellContext(folder, consoleFor(place))
  room.furnish(context)
  const value = await evaluate(code, context).catch(thrown)
  if (value === undefined) return
  const colors = stdout.isTTY && stdout.hasColors()
  // An iterator runs the code on.
  const waited = await waitedFor(value).catch(thrown)
  const shown = orThrown(() => shellValue(waited, { colors, plainly: true }))
  // A pipe gets a text as it is; a terminal has lines of it.
  if (stdout.isTTY) await print(stdout, shown.split('\n'))
  else await writeAsIs(stdout, `${shown}\n`)
}

function orThrown(text: () => string): string {
  try {
    return text()
  } catch (error) {
    return thrown(error)
  }
}

function thrown(error: unknown): never {
  if (error instanceof AvocetError || error instanceof NoPage) throw error
  throw new AvocetError('AVO_USAGE', `shell: the code threw ${inWords(error)}`, { cause: error })
}

/** Errors of the code come from a realm of their own, so that they are no instances of our `Error`. */
function inWords(thrown: unknown): string {
  return isNativeError(thrown) ? `${thrown.name}: ${thrown.message.split('\n')[0] ?? ''}` : messageOf(thrown)
}
