// `avocet list`: the spiders of this project.
import { writeDocument } from '../output/machines.ts'
import { print, say } from '../output/people.ts'
import { exitCodeOfError, type ExitCode } from '../exit-code.ts'
import type { Place } from '../place.ts'
import { column, columnsOf, fold } from '../text/columns.ts'
import { printable } from '../text/printable.ts'
import { formatCount } from '../text/quantity.ts'
import { screenColumns } from '../view/screen-columns.ts'
import { listingOf, type Listing, type ListedSpider } from './listed.ts'

/** Prints a table; with `json` one document. What cannot be loaded is said in a line each, and the exit code is 3. */
export async function listCommand(json: boolean, place: Place): Promise<ExitCode> {
  const { stdout, stderr } = place
  const listing = await listingOf(place)
  if (json) await writeDocument(stdout, { schema: 1, ...listing })
  else {
    await print(stdout, tableOf(listing))
    for (const line of remarksOn(listing)) say(stderr, fold(line, screenColumns(stderr)))
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
  const names = spiders.map(({ name }) => name)
  const twice = [...new Set(names.filter((name, index) => names.indexOf(name) < index))]
  const isEmpty = spiders.length + needArguments.length + unloadable.length === 0
  return [
    ...(isEmpty ? ['no spider in this folder or in ./spiders; make one with avocet new spider NAME'] : []),
    ...(spiders.some(({ isDefault }) => isDefault) ? ["* runs when avocet crawl names none: it is the configuration's"] : []),
    ...needArguments.map(({ file, said }) => `${printable(file)}: made from arguments; without them it said: ${printable(said)}`),
    ...twice.map(
      (name) =>
        `two spiders are called ${name}: they would share the store .avocet/${name}.db; rename one, or give each its own --store`,
    ),
    ...unloadable.map(({ reason }) => printable(reason)),
  ]
}
