// Loads the spider that a file exports, with the arguments of `-a key=value`.
import { AvocetError, type Seed, type Spider } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import { checkCrawl } from '@avocet/core/tools'
import { loadModule } from '../config/load-module.ts'

/**
 * The spider that the file at `path` (absolute) exports by default, or that its exported function makes of `args`.
 *
 * @throws AVO_SPIDER_LOAD when the file cannot be loaded, AVO_SPIDER_INVALID when what it exports is no spider.
 */
export async function loadSpider(path: string, args: Readonly<Record<string, string>>): Promise<Spider> {
  const exported = await loadModule(path, 'AVO_SPIDER_LOAD')
  if (typeof exported === 'function') return checkSpider(await make(exported as FileExport, path, args), path)
  const given = Object.keys(args)
  if (given.length > 0) {
    throw new AvocetError(
      'AVO_SPIDER_INVALID',
      `${path}: got -a ${given.join(', -a ')}, but the spider takes no arguments; declare them: export default spiderWith({ ${given[0] ?? 'name'}: 'text' }, (args) => spider({ … }))`,
    )
  }
  return checkSpider(exported, path)
}

/** The seeds of a spider one by one, also where a function makes them, which may have no end. */
export async function* spiderSeedsOf({ seeds: given }: Spider): AsyncGenerator<Seed> {
  const seeds: Iterable<string | Seed> | AsyncIterable<string | Seed> = typeof given === 'function' ? given() : given
  for await (const seed of seeds) yield typeof seed === 'string' ? { url: seed } : seed
}

type FileExport = (args: Readonly<Record<string, string>>) => unknown

async function make(maker: FileExport, path: string, args: Readonly<Record<string, string>>): Promise<unknown> {
  try {
    return await maker(args)
  } catch (error) {
    if (error instanceof AvocetError && error.code === 'AVO_USAGE')
      throw new AvocetError('AVO_USAGE', `${path}: ${error.message}`)
    throw new AvocetError('AVO_SPIDER_LOAD', `${path}: the function that makes the spider threw: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

/**
 * The value itself, if it is a spider.
 *
 * @param from where it comes from, for the message.
 * @throws AVO_SPIDER_INVALID.
 */
export function checkSpider(value: unknown, from: string): Spider {
  checkCrawl({ spider: value ?? null }, from)
  return value as Spider
}
