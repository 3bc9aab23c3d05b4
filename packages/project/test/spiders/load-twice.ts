// Runs outside of vitest, for that imports in a way of its own: loads the spider named on the command line (a file, or its name), writes the text of the last
// argument to the file before it, and loads the spider again as `.reload` of the shell does. Prints what both have.
import { writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { messageOf } from '@avocet/core/store'
import { spiderToReload } from '../../src/spiders/chosen-spider.ts'
import { reloadBelow } from '../../src/config/load-module.ts'

const [spider = '', file = '', text = ''] = process.argv.slice(2)
let named: Parameters<typeof spiderToReload>[0] = { spiderPath: spider, crawl: { args: {} } }

async function handlersOf(): Promise<string> {
  const place = { folder: process.cwd(), stderr: process.stderr } as unknown as Parameters<typeof spiderToReload>[1]
  try {
    const found = await spiderToReload(named, place)
    named = found.named
    return Object.keys(found.spider?.handlers ?? {}).join(' ')
  } catch (error) {
    return messageOf(error)
  }
}

const first = await handlersOf()
writeFileSync(file, text)
const same = await handlersOf()
reloadBelow(dirname(resolve(named.spiderPath ?? '')))
console.log(JSON.stringify([first, same, await handlersOf()]))
