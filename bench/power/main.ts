// What a power cut and a bad disk leave, and what becomes of it: `npm run power [-- --images 500 --seed 1 --json]`.
//
// Two crawls are recorded, with FULL and with NORMAL. From each, images of the disk after a power cut are made: every one is opened, looked at and crawled on
// to its end. It must be sound, hold all that was promised, and end like a crawl without trouble: each request once, each item once, each line once. Then each
// page of a store is damaged in each way (--damage NAME,…): the store is refused or right, never wrong without a word. Prints `N of N`; fails unless all hold.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tryPages, type PageVerdict } from './pages.ts'
import { DAMAGES, type DamageKind } from './page-damage.ts'
import { tryPowerCuts, type PowerVerdict } from './power-cuts.ts'
import { toldOptions } from '../told-options.ts'

const { values } = toldOptions('power', {
  options: {
    images: { type: 'string', default: '500' },
    damage: { type: 'string', default: Object.keys(DAMAGES).join(',') },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
})

const images = Number(values.images)
if (!Number.isSafeInteger(images) || images < 0) throw new Error(`expected --images to be a whole number, got ${values.images}`)
const kinds = values.damage === 'none' ? [] : values.damage.split(',').map(kindOf)

const folder = mkdtempSync(join(process.env['BENCH_DIR'] ?? tmpdir(), 'avocet-power-'))
const cuts: PowerVerdict[] = []
const pages: PageVerdict[] = []
try {
  for (const synchronous of ['full', 'normal'] as const) {
    const half = synchronous === 'full' ? Math.ceil(images / 2) : Math.floor(images / 2)
    await tryPowerCuts({ folder, synchronous, images: half, seed: values.seed }, (verdict) => tell(cuts, images, verdict))
  }
  await tryPages({ folder, kinds, seed: values.seed }, (verdict, of) => tell(pages, of, verdict))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
clear()

const heldCuts = cuts.filter(({ wrong }) => wrong.length === 0).length
const heldPages = pages.filter(({ wrong }) => wrong.length === 0).length
if (values.json)
  console.log(
    JSON.stringify(
      {
        schema: 1,
        seed: values.seed,
        power: { held: heldCuts, of: cuts.length },
        pages: { held: heldPages, of: pages.length },
        cuts,
        damaged: pages,
      },
      undefined,
      2,
    ),
  )
else {
  for (const { name, wrong } of [...cuts, ...pages])
    if (wrong.length > 0) console.log([`MISS ${name}`, ...wrong.slice(0, 5)].join('\n       '))
  console.log(`power cuts: ${String(heldCuts)} of ${String(cuts.length)}`)
  for (const kind of kinds) console.log(`  ${summary(kind)}`)
  console.log(`damaged pages: ${String(heldPages)} of ${String(pages.length)}`)
}
process.exitCode = heldCuts === cuts.length && heldPages === pages.length ? 0 : 1

function kindOf(name: string): DamageKind {
  const kind = Object.keys(DAMAGES).find((known) => known === name)
  if (kind === undefined)
    throw new Error(`expected --damage to be among ${Object.keys(DAMAGES).join(', ')}, or none, got ${name}`)
  return kind as DamageKind
}

function tell<Verdict extends { readonly name: string }>(all: Verdict[], of: number, verdict: Verdict): void {
  all.push(verdict)
  if (process.stderr.isTTY) process.stderr.write(`\r${String(all.length)} of ${String(of)}: ${verdict.name}\u001B[K`)
  else if (all.length % 50 === 0) console.error(`${String(all.length)} of ${String(of)}`)
}

function clear(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001B[K')
}

/** How often what came of it. */
function summary(kind: DamageKind): string {
  const some = pages.filter((page) => page.kind === kind)
  const count = (what: PageVerdict['became']): string => String(some.filter(({ became }) => became === what).length)
  return `${kind}: ${String(some.length)} pages, ${count('refused')} refused, ${count('right')} harmless, ${count('told')} wrong and told by verify, ${count('unseen')} wrong values`
}
