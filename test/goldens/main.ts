// Compares the decisions of every simulated world with the kept ones: `npm run goldens`, or `-- NAME …` for some. `--write` keeps today's.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { GOLDEN_CRAWLS } from './crawls.ts'
import { differenceFromKept, keep } from './kept-logs.ts'

const { values, positionals } = parseArgs({ options: { write: { type: 'boolean', default: false } }, allowPositionals: true })
const unknown = positionals.filter((name) => !(name in GOLDEN_CRAWLS))
if (unknown.length > 0) throw new Error(`expected names of ${Object.keys(GOLDEN_CRAWLS).join(', ')}; got ${unknown.join(', ')}`)

mkdirSync(join(import.meta.dirname, 'logs'), { recursive: true })
const changed: string[] = []
for (const [name, decisions] of Object.entries(GOLDEN_CRAWLS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const log = await decisions()
  const difference = differenceFromKept(name, log)
  if (values.write) keep(name, log)
  if (difference !== undefined) changed.push(name)
  console.log(difference === undefined ? `${name}: the same, ${String(log.length)} lines` : `${name}: ${difference}`)
}
console.log(changed.length === 0 ? 'all the same' : `${String(changed.length)} differ: ${changed.join(' ')}`)
process.exitCode = changed.length === 0 || values.write ? 0 : 1
