// Which test files would notice a broken file: those that reach it over the fewest imports come first.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')

/** Test files that load `file` (from the root), the nearest first. */
export function nearestTests(file: string): readonly string[] {
  const importers = new Map<string, string[]>()
  const doors = doorsOfPackages()
  for (const path of globSync(['packages/*/{src,test}/**/*.{ts,tsx}', 'examples/**/*.ts', '{test,bench,stress}/**/*.ts'], {
    cwd: ROOT,
  })) {
    if (path.includes('node_modules')) continue
    for (const [, name = ''] of readFileSync(join(ROOT, path), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)) {
      const target = name.startsWith('.') ? join(dirname(path), name) : doors.get(name)
      if (target !== undefined) importers.set(target, [...(importers.get(target) ?? []), path])
    }
  }
  const found = new Set([file])
  for (const path of found) for (const importer of importers.get(path) ?? []) found.add(importer)
  return [...found].filter((path) => path.endsWith('.test.ts'))
}

/** The source file behind each name that a package can be imported by. */
function doorsOfPackages(): ReadonlyMap<string, string> {
  const doors = globSync('{packages/*,stress}/package.json', { cwd: ROOT }).flatMap((path) => {
    const { name = '', exports = {} } = JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as {
      readonly name?: string
      readonly exports?: Readonly<Record<string, string | { readonly '@avocet/source'?: string }>>
    }
    return Object.entries(exports).flatMap(([door, to]) => {
      const source = typeof to === 'string' ? to : to['@avocet/source']
      const target = source === undefined ? undefined : join(dirname(path), source)
      return target !== undefined && existsSync(join(ROOT, target)) ? [[door.replace('.', name), target] as const] : []
    })
  })
  return new Map(doors)
}
