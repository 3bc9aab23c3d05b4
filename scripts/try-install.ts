// Installs all packages, packed, into an empty folder, on each Node that they support: every door of each can be imported, and a crawl runs.
//
// `node scripts/try-install.ts [--node 22.19.0,24.21.0,26.10.0]`, after a build. Only for Linux on x64, where those Nodes come from npm. What the packages depend
// on comes from npm as well. Prints each command with its seconds; ends with 1 when one fails.
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toldOptions } from '../bench/told-options.ts'
import { machineWith, run, versionOf, type Machine } from './as-a-stranger.ts'
import { packAll } from './pack.ts'

/** What needs packages that their users bring: the contracts are for Vitest. */
const FOR_TESTS = /^@avocet\/testkit\//

/** A program that crawls a site of its own with the policies and the store, and fails unless all of its pages are there. */
const CRAWL = `import { once } from 'node:events'
import { createServer } from 'node:http'
import { crawl, spider } from 'avocet'
import { sqlite } from '@avocet/plugin-sqlite'
import { polite } from '@avocet/preset-polite'

const server = createServer((request, response) => response.end('<title>Tea</title><a href="/1">1</a> <a href="/2">2</a>')).listen(0, '127.0.0.1')
await once(server, 'listening')
const teas = spider({
  name: 'teas',
  seeds: ['http://127.0.0.1:' + server.address().port + '/'],
  handlers: {
    *start(page) {
      yield { title: page.title }
      yield* page.links()
    },
  },
})
const frontier = sqlite('teas.db')
const { counts, ended } = await crawl({ spider: teas, frontier, policies: polite() }).run()
await frontier.close()
server.close()
if (ended !== 'done' || counts.items !== 3) throw new Error(ended + ' with ' + counts.items + ' items')
`

const { values } = toldOptions('install', { options: { node: { type: 'string', default: '22.19.0,24.21.0,26.10.0' } } })
const place = mkdtempSync(join(tmpdir(), 'avocet-install-'))
try {
  const packed = join(place, 'packed')
  await packAll(packed)
  for (const version of values.node.split(',')) tryNode(machineWith(version, place), packed)
} finally {
  rmSync(place, { recursive: true, force: true })
}

function tryNode(machine: Machine, packed: string): void {
  const folder = join(place, `empty-${machine.name}`)
  mkdirSync(folder)
  chmodSync(folder, 0o755)
  console.log(`\n# Node ${versionOf(machine)}`)
  const at = { folder, path: machine.path }
  const archives = globSync('*.tgz', { cwd: packed }).sort()
  run(`npm install (${String(archives.length)} packages)`, ['npm', 'install', ...archives.map((name) => join(packed, name))], at)
  writeFileSync(
    join(folder, 'import.mjs'),
    doorsIn(folder)
      .map((door) => `await import('${door}')\n`)
      .join(''),
  )
  run(`import (${String(doorsIn(folder).length)} doors)`, ['node', '--throw-deprecation', 'import.mjs'], at)
  writeFileSync(join(folder, 'crawl.mjs'), CRAWL)
  run('a crawl of three pages into a store', ['node', 'crawl.mjs'], at)
  run('npx avocet status', ['npx', 'avocet', 'status', 'teas.db'], at)
}

/** What an author may import. */
function doorsIn(folder: string): readonly string[] {
  return globSync('node_modules/{@avocet/*,avocet,create-avocet}/package.json', { cwd: folder }).flatMap((path) => {
    const { name, exports } = JSON.parse(readFileSync(join(folder, path), 'utf8')) as { name: string; exports: object }
    return Object.keys(exports)
      .map((door) => name + door.slice(1))
      .filter((door) => !FOR_TESTS.test(door))
  })
}
