// `avocet list`: the spiders of this project.
import { relative, resolve } from 'node:path'
import { AvocetError, type Spider } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import type { ArgumentRules } from 'avocet'
import type { ExitCode } from '@avocet/project/command'
import { loadConfig, checkFound, loadModule, argumentsInShort, argumentsOf, checkSpider, spiderFiles } from '@avocet/project/load'
import type { ConfigPlace } from '@avocet/project/load'
import { given } from '@avocet/project/options'
import { writeDocument, print, say, type Place, commandLine, commandName } from '@avocet/project/place'
import { column, columnsOf, printable, formatCount } from '@avocet/project/text'
import { exitCodeOfError } from '../exit-code.ts'

/** Prints a table; with `json` one document. What cannot be loaded is said in a line each, and the exit code is 3. */
export async function listCommand(json: boolean, place: Place): Promise<ExitCode> {
  const { stdout, stderr } = place
  const listing = await listingOf(place)
  if (json) await writeDocument(stdout, { schema: 1, ...listing })
  else {
    await print(stdout, tableOf(listing))
    say(stderr, remarksOn(listing))
  }
  return listing.unloadable.length > 0 ? exitCodeOfError('AVO_SPIDER_LOAD') : 0
}

const HEAD = ['spider', 'file', 'seeds', 'handlers'] as const

function tableOf({ spiders, needArguments, unloadable }: Listing): string[] {
  if (spiders.length + needArguments.length + unloadable.length === 0) return []
  const rows = [
    HEAD,
    ...spiders.map(cellsOf),
    ...needArguments.map(({ file }) => ['(with -a …)', file, '', '']),
    ...unloadable.map(lost),
  ]
  const widths = HEAD.map((_, index) => Math.max(...rows.map((cells) => columnsOf(cells[index] ?? ''))))
  return rows.map((cells) =>
    cells
      .map((cell, index) => aligned(cell, widths, index))
      .join('  ')
      .trimEnd(),
  )
}

function aligned(cell: string, widths: readonly number[], index: number): string {
  // The last column is as long as it is: a table that nobody folds can be searched.
  if (index === HEAD.length - 1) return cell
  return column(cell, widths[index] ?? 0, HEAD[index] === 'seeds' ? 'right' : 'left')
}

function cellsOf({ name, file, handlers, seeds, isDefault }: ListedSpider): readonly string[] {
  const title = isDefault ? `${name} *` : name
  return [title, file, seeds === null ? 'made' : formatCount(seeds), handlers.join(', ')].map((cell) => printable(cell))
}

function lost({ file }: Listing['unloadable'][number]): readonly string[] {
  return ['(not loaded)', printable(file), '', '']
}

function remarksOn({ spiders, needArguments, unloadable }: Listing): string[] {
  const twice = [...Map.groupBy(spiders, ({ name }) => name)].filter(([, same]) => same.length > 1)
  const isEmpty = spiders.length + needArguments.length + unloadable.length === 0
  return [
    ...(isEmpty ? [`no spider in this folder or in ./spiders; make one with ${commandName()} new spider NAME`] : []),
    ...(spiders.some(({ isDefault }) => isDefault)
      ? [`* is the configuration's spider, which ${commandName()} crawl runs when no other is named`]
      : []),
    ...[...spiders, ...needArguments].flatMap(({ file, takes }) =>
      takes === undefined ? [] : [`${printable(file)}: ${argumentsInShort(takes)}`],
    ),
    ...needArguments
      .filter(({ takes }) => takes === undefined)
      .map(({ file, said }) => `${printable(file)}: needs arguments; without them it failed: ${printable(said)}`),
    ...twice.map(
      ([name, same]) =>
        `${same.length === 2 ? 'two' : same.length} spiders are called ${printable(name)} (${same.map(({ file }) => printable(file)).join(', ')}): they would share the store .avocet/${printable(name)}.db; rename one, or give each its own --store`,
    ),
    ...unloadable.map(({ reason }) => printable(reason)),
  ]
}

/** A spider and its file. */
interface ListedSpider {
  readonly name: string
  /** Relative to the folder. */
  readonly file: string
  readonly handlers: readonly string[]
  /** null: a function makes them. */
  readonly seeds: number | null
  /** Whether `avocet crawl` alone runs it: the configuration names it. */
  readonly isDefault: boolean
  /** Arguments that it declares. */
  readonly takes?: ArgumentRules | undefined
}

/** A file with a spider that is made from arguments, and cannot be made without them. */
interface NeedsArguments {
  readonly file: string
  /** What it said without them. */
  readonly said: string
  /** Arguments that it declares. */
  readonly takes?: ArgumentRules | undefined
}

/** A file that cannot be loaded, or holds no valid spider. */
interface Unloadable {
  readonly file: string
  readonly reason: string
}

/** All of a project. */
interface Listing {
  readonly spiders: readonly ListedSpider[]
  readonly needArguments: readonly NeedsArguments[]
  readonly unloadable: readonly Unloadable[]
}

/** Loads every spider file of `folder`, one after the other: what they do while they load must not mix. */
async function listingOf(place: ConfigPlace): Promise<Listing> {
  const { folder } = place
  const spiders: ListedSpider[] = []
  const needArguments: NeedsArguments[] = []
  const unloadable: Unloadable[] = []
  const own = await configuredSpider(place)
  let isOwnListed = own === undefined
  if (own?.kind === 'unloadable') unloadable.push(own)
  for (const file of await spiderFiles(folder)) {
    const found = await spiderIn(resolve(folder, file), file)
    const isDefault =
      own?.kind === 'spider' && found?.kind === 'spider' && isSameSpider(own.spider, found.spider, found.isMade === true)
    isOwnListed ||= isDefault
    if (found?.kind === 'spider') {
      const spider = listed(isDefault ? own.spider : found.spider, file, isDefault)
      spiders.push({ ...spider, ...given('takes', found.takes) })
    } else if (found?.kind === 'needs-arguments') needArguments.push({ file, said: found.said, ...given('takes', found.takes) })
    else if (found) unloadable.push({ file, reason: found.reason })
  }
  if (own?.kind === 'spider' && !isOwnListed) spiders.unshift(listed(own.spider, own.file, true))
  return { spiders, needArguments, unloadable: unloadable.map(({ file, reason }) => ({ file, reason })) }
}

/**
 * Whether `found` is `own`, whose seeds or options may have been replaced in a copy. What a function makes (`isMade`) is another object each time: its name
 * tells.
 */
function isSameSpider(own: Spider, found: Spider, isMade: boolean): boolean {
  return own === found || own.handlers === found.handlers || (isMade && own.name === found.name)
}

type Found =
  | {
      readonly kind: 'spider'
      readonly file: string
      readonly spider: Spider
      readonly isMade?: true
      readonly takes?: ArgumentRules | undefined
    }
  | { readonly kind: 'needs-arguments'; readonly file: string; readonly said: string; readonly takes: ArgumentRules | undefined }
  | { readonly kind: 'unloadable'; readonly file: string; readonly reason: string }

async function configuredSpider(place: ConfigPlace): Promise<Found | undefined> {
  try {
    const loaded = await loadConfig(place)
    const spider = loaded?.config.spider
    return loaded && spider && { kind: 'spider', file: relative(place.folder, loaded.path), spider }
  } catch (error) {
    return { kind: 'unloadable', file: 'avocet.config', reason: reasonOf(error) }
  }
}

/** Undefined when the file exports something else altogether: that is no mistake. */
async function spiderIn(path: string, file: string): Promise<Found | undefined> {
  try {
    await checkFound(path, commandLine(['crawl', file]))
    const exported = await loadModule(path, 'AVO_SPIDER_LOAD')
    if (typeof exported === 'function') return await spiderOfMaker(exported as Maker, path, file)
    if (!isMeantAsSpider(exported)) return undefined
    return { kind: 'spider', file, spider: checkSpider(exported, path) }
  } catch (error) {
    return { kind: 'unloadable', file, reason: reasonOf(error) }
  }
}

type Maker = (args: Readonly<Record<string, string>>) => unknown

async function spiderOfMaker(maker: Maker, path: string, file: string): Promise<Found | undefined> {
  let made: unknown
  try {
    made = await maker({})
  } catch (error) {
    return { kind: 'needs-arguments', file, said: messageOf(error), takes: argumentsOf(maker) }
  }
  return isMeantAsSpider(made)
    ? { kind: 'spider', file, spider: checkSpider(made, path), isMade: true, takes: argumentsOf(maker) }
    : undefined
}

function isMeantAsSpider(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ['handlers', 'seeds'].some((key) => key in value)
}

function listed({ name, handlers, seeds }: Spider, file: string, isDefault: boolean): ListedSpider {
  return { name, file, handlers: Object.keys(handlers), seeds: typeof seeds === 'function' ? null : seeds.length, isDefault }
}

function reasonOf(error: unknown): string {
  return error instanceof AvocetError ? `${error.message} (${error.code})` : messageOf(error)
}
