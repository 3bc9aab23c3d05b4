// Runs outside of vitest, for that imports in a way of its own: loads the spider named on the command line, writes the text of the last argument to the file
// before it, and loads the spider again as `.reload` of the shell does. Prints what both have.
import { writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { messageOf } from '@avocet/core/store'
import { reloadBelow } from '../src/load/reload.ts'
import { loadSpider } from '../src/load/spider-file.ts'

const [spider = '', file = '', text = ''] = process.argv.slice(2)

async function handlersOf(): Promise<string> {
  return loadSpider(spider, {}).then(({ handlers }) => Object.keys(handlers).join(' '), messageOf)
}

const first = await handlersOf()
writeFileSync(file, text)
const same = await handlersOf()
reloadBelow(dirname(spider))
console.log(JSON.stringify([first, same, await handlersOf()]))
