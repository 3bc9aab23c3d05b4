// `avocet crawl spider.ts --help`: the arguments that the spider of this file takes, below those of the command.
import { resolve } from 'node:path'
import { messageOf } from '@avocet/core/store'
import { loadModule, argumentLines, argumentsOf } from '@avocet/project/load'
import { printable } from '@avocet/project/text'

/** Lines, the first of them empty. The file is run, as a crawl of it would run it; what keeps it from being loaded is said in their place. */
export async function spiderHelp(file: string, folder: string): Promise<string[]> {
  const title = `Arguments of ${printable(file)}:`
  try {
    const exported = await loadModule(resolve(folder, file), 'AVO_SPIDER_LOAD')
    const rules = argumentsOf(exported)
    if (rules !== undefined) return ['', title, ...argumentLines(rules)]
    return [
      '',
      typeof exported === 'function'
        ? `${printable(file)} takes arguments (-a) but does not declare them`
        : `${printable(file)} takes no arguments`,
    ]
  } catch (error) {
    return ['', title, `  ${printable(messageOf(error))}`]
  }
}
