// Which names core hands out at its doors, and who takes them: one that a single package takes belongs to that package, not to everybody.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** Names that each door of core hands out. */
export function namesOfDoors(): Readonly<Record<string, readonly string[]>> {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'packages/core/package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, { readonly '@avocet/source': string }>>
  }
  return Object.fromEntries(
    Object.entries(exports).map(([door, { '@avocet/source': path }]) => {
      const lists = readFileSync(join(ROOT, 'packages/core', path), 'utf8').matchAll(/^export (?:type )?(\{[^}]*\}|\* as \w+)/gm)
      return [door.replace('.', '@avocet/core'), [...lists].flatMap(([, list = '']) => namesIn(list))]
    }),
  )
}

/**
 * Who takes each name of core: packages, and `people` where an example, a template or a page of the docs imports it, or `avocet` hands it on to them.
 *
 * One that a single package takes should move into it. One that nothing takes may be a type that people name, or has no reason to be public.
 */
function takersOfNames(): readonly { readonly name: string; readonly door: string; readonly takers: readonly string[] }[] {
  const takers = new Map<string, Set<string>>()
  for (const path of globSync(['packages/*/src/**/*.{ts,tsx}', ...PEOPLE], { cwd: ROOT }).sort()) {
    const importer = /^packages\/([^/]+)\/src\//.exec(path)?.[1] ?? 'people'
    // What core itself and generated pages say of its doors is in comments and lists.
    if (importer === 'core' || path.startsWith('docs/reference/')) continue
    for (const [, how, list = ''] of readFileSync(join(ROOT, path), 'utf8').matchAll(IMPORTS)) {
      // The package `avocet` is a door: people import what it exports again.
      const taker = importer === 'avocet' && how === 'export' ? 'people' : importer
      for (const name of namesIn(list)) takers.set(name, (takers.get(name) ?? new Set()).add(taker))
    }
  }
  return Object.entries(namesOfDoors()).flatMap(([door, names]) =>
    names.map((name) => ({ name, door, takers: [...(takers.get(name) ?? [])] })),
  )
}

/** Names that one package alone takes, and those that nothing takes. */
export function lonelyNames(): { readonly ofOne: readonly string[]; readonly ofNobody: readonly string[] } {
  const all = takersOfNames()
  const said = ({ door, name, takers }: (typeof all)[number]): string => `${door}: ${name}, taken by ${takers[0] ?? 'nobody'}`
  return {
    ofOne: all.filter(({ takers }) => takers.length === 1 && takers[0] !== 'people').map(said),
    ofNobody: all.filter(({ takers }) => takers.length === 0).map(said),
  }
}

const PEOPLE = [
  'examples/**/*.ts',
  'packages/create-avocet/templates/**/*.*',
  'docs/**/*.md',
  'README.md',
  'packages/*/README.md',
]
const IMPORTS = /(import|export) (?:type )?(\{[^}]*\}) from '@avocet\/core(?:\/\w+)?'/g

/** Of `{ a, type B, c as d }`: a, B and c; of `* as e`: e. */
function namesIn(list: string): string[] {
  return [...list.matchAll(/(?:[{,]\s*(?:type )?|\* as )(\w+)/g)].map(([, name = '']) => name)
}
