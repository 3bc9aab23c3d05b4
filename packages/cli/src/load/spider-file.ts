// Loads the spider that a file exports, with the arguments of `-a key=value`.
import { AvocetError, messageOf, type Spider } from '@avocet/core'
import { checkSpider } from './check-spider.ts'
import { loadModule } from './load-module.ts'

/**
 * The spider that the file at `path` (absolute) exports by default, or that its exported function makes of `args`.
 *
 * @throws AVO_SPIDER_LOAD when the file cannot be loaded, AVO_SPIDER_INVALID when what it exports is no spider.
 */
export async function loadSpider(path: string, args: Readonly<Record<string, string>>): Promise<Spider> {
  const exported = await loadModule(path, 'AVO_SPIDER_LOAD')
  if (typeof exported === 'function') return checkSpider(await make(exported as SpiderMaker, path, args), path)
  const given = Object.keys(args)
  if (given.length > 0) {
    throw new AvocetError(
      'AVO_SPIDER_INVALID',
      `${path}: got -a ${given.join(', -a ')}, but the spider takes no arguments; export a function: export default (args) => spider({ … })`,
    )
  }
  return checkSpider(exported, path)
}

type SpiderMaker = (args: Readonly<Record<string, string>>) => unknown

async function make(maker: SpiderMaker, path: string, args: Readonly<Record<string, string>>): Promise<unknown> {
  try {
    return await maker(args)
  } catch (error) {
    throw new AvocetError('AVO_SPIDER_LOAD', `${path}: the function that makes the spider threw: ${messageOf(error)}`, {
      cause: error,
    })
  }
}
