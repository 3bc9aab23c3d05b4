// Inside a package imports lead downwards, by the order of its folders in folder-order.ts: whoever reads a floor needs to know the ones below it only.
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FOLDER_ORDER } from './folder-order.ts'

const ROOT = join(import.meta.dirname, '..')

/** The files of a package below `src/`, each with what it imports there, at run time or for types. */
function filesOf(name: string): readonly { readonly path: string; readonly imports: readonly string[] }[] {
  const folder = join(ROOT, 'packages', name, 'src')
  return globSync('**/*.ts', { cwd: folder }).map((found) => {
    const path = found.replaceAll('\\', '/')
    const code = readFileSync(join(folder, path), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
    const imports = [...code.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) =>
      normalize(join(dirname(path), match[1] ?? '')).replaceAll('\\', '/'),
    )
    return { path, imports }
  })
}

/** Where `path` stands in `order`: its folder, its own name, or with the other root files. */
function floorOf(path: string, order: readonly string[]): number {
  const [first = ''] = path.split('/')
  return order.includes(first) || path.includes('/') ? order.indexOf(first) : order.indexOf('.')
}

describe('the table of folders', () => {
  it('has every package', () => {
    expect(Object.keys(FOLDER_ORDER).sort()).toEqual(readdirSync(join(ROOT, 'packages')).sort())
  })
})

describe.each(Object.entries(FOLDER_ORDER))('the folders of %s', (name, order) => {
  it('are in the table, each once, and the table has no others', () => {
    const there = new Set(filesOf(name).map(({ path }) => path.split('/')[0] ?? ''))

    expect(new Set(order).size).toBe(order.length)
    expect(filesOf(name).flatMap(({ path }) => (floorOf(path, order) < 0 ? [path] : []))).toEqual([])
    expect(order.filter((floor) => floor !== '.' && !there.has(floor))).toEqual([])
  })

  it('import downwards only', () => {
    const offences = filesOf(name).flatMap(({ path, imports }) =>
      imports.filter((imported) => floorOf(imported, order) > floorOf(path, order)).map((imported) => `${path} -> ${imported}`),
    )

    expect(offences).toEqual([])
  })
})
