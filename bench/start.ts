// What a start costs: modules and CPU of the whole command as it is published, beside a bare Node that does nothing.
//
// Usage: npm run bench:start -- [--rounds 7] [--tree DIR]...
// Without --tree: the last build, as it is published. With it: those checkouts or published trees, interleaved in one run. CPU is that of the whole process, all
// threads, as it says itself at its exit; the first run of each, which fills the cache of compiled code, does not count.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { publishedTree } from '../scripts/published.ts'
import { modulesOf } from '../test/loaded-modules.ts'
import { withOnePage } from '../test/one-page.ts'
import { median } from './median.ts'
import { toldOptions } from './told-options.ts'

const USAGE = `process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  require('node:fs').writeFileSync('cpu', String((user + system) / 1e3))
})
`

const { values } = toldOptions('bench:start', {
  options: { rounds: { type: 'string', default: '7' }, tree: { type: 'string', multiple: true } },
})
const rounds = Number(values.rounds)
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error(`bench:start: expected --rounds of 1 or more, got ${values.rounds}`)
  process.exit(2)
}
const trees = values.tree?.map((tree) => resolve(tree)) ?? [await publishedTree()]
await withOnePage(async (url) => {
  const commands = { 'one page': ['crawl', url, '--ignore-robots'], '--help': ['--help'], '--version': ['--version'] }
  const all = trees.flatMap((tree) =>
    Object.entries(commands).map(([name, words]) => ({ name, tree, words, cpu: [] as number[] })),
  )
  const bare: number[] = []
  for (const { tree, words } of all) await cpuOf([commandOf(tree), ...words])
  for (let round = 0; round < rounds; round++) {
    bare.push(await cpuOf(['-e', '0']))
    for (const { tree, words, cpu } of all) cpu.push(await cpuOf([commandOf(tree), ...words]))
  }
  const table = [{ name: 'node -e 0', tree: '', modules: 0, ...figures(bare) }]
  for (const { name, tree, words, cpu } of all)
    table.push({ name, tree, modules: (await modulesOf(words, tree)).loaded.length, ...figures(cpu) })
  console.table(table.map((row) => ({ ...row, 'times node': Number((row['median ms'] / median(bare)).toFixed(1)) })))
})

function commandOf(tree: string): string {
  return join(tree, 'packages/cli/bin/avocet.js')
}

/** Milliseconds. */
async function cpuOf(words: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-start-'))
  try {
    writeFileSync(join(folder, 'usage.cjs'), USAGE)
    const child = spawn(process.execPath, ['--require', './usage.cjs', ...words], { cwd: folder, stdio: 'ignore' })
    const [code] = (await once(child, 'close')) as [number]
    if (code !== 0) throw new Error(`expected ${words.join(' ')} to exit with 0, got ${code}`)
    return Number(readFileSync(join(folder, 'cpu'), 'utf8'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function figures(cpu: readonly number[]): Readonly<Record<'min ms' | 'median ms', number>> {
  return { 'min ms': Math.round(Math.min(...cpu)), 'median ms': Math.round(median(cpu)) }
}
