// The web that a simulation runs against: one of the testkit's worlds by name, or a model in a file.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AvocetError } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import { closest } from '@avocet/core/tools'
import { modelFrom, WORLDS, type HostSpec, type SiteModel } from '@avocet/simulator'
import { commandName } from '../text/command-line.ts'
import { formatCount, formatCountOf } from '../text/quantity.ts'

/**
 * The world called `name`, or the model in the JSON file of that name.
 *
 * @throws AVO_USAGE when there is neither, AVO_CONFIG_INVALID when the file holds no model.
 */
export async function worldOf(name: string, folder: string): Promise<SiteModel> {
  const make = Object.hasOwn(WORLDS, name) ? WORLDS[name] : undefined
  if (make) return make()
  if (name.endsWith('.json')) return modelIn(resolve(folder, name))
  const meant = closest(name, Object.keys(WORLDS))
  const hint = meant === undefined ? `${commandName()} simulate --list names them` : `did you mean '${meant}'?`
  throw new AvocetError('AVO_USAGE', `--web: expected the name of a web or a .json file, got '${name}'; ${hint}`)
}

async function modelIn(path: string): Promise<SiteModel> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new AvocetError('AVO_USAGE', `--web: expected a file that can be read, got ${messageOf(error)}`, { cause: error })
  })
  try {
    return modelFrom(JSON.parse(text))
  } catch (error) {
    throw new AvocetError('AVO_CONFIG_INVALID', `${path}: ${messageOf(error)}`, { cause: error })
  }
}

/** A line for each world: its name, and how large it is. */
export function worldLines(): string[] {
  const names = Object.keys(WORLDS)
  const columns = Math.max(...names.map((name) => name.length))
  return Object.entries(WORLDS).map(([name, make]) => `${name.padEnd(columns)}  ${sizeOf(make().hosts)}`)
}

function sizeOf(hosts: readonly HostSpec[]): string {
  const count = (has: (host: HostSpec) => boolean): number => hosts.filter(has).length
  const limited = count(({ capacity }) => capacity !== undefined)
  const dead = count(({ death }) => death !== undefined)
  const pages = hosts.reduce((sum, host) => sum + pagesOf(host), 0)
  return [
    formatCountOf(hosts.length, 'host'),
    `about ${formatCount(pages)} pages`,
    ...(limited > 0 ? [`${formatCount(limited)} with a limit`] : []),
    ...(dead > 0 ? [`${formatCount(dead)} dead`] : []),
  ].join(', ')
}

function pagesOf({ pages }: HostSpec): number {
  if (pages.kind === 'shop') return pages.products
  if (pages.kind === 'directory') return 1
  return pages.kind === 'quotes' ? Math.ceil(pages.quotes / (pages.perPage ?? 10)) : pages.pages
}
