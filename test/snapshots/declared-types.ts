// What a package declares at its doors: each name with its declaration, sorted, without comments. From the sources, whose declarations stand alone.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isolatedDeclarationSync, parseSync } from 'rolldown/experimental'

interface Named {
  readonly type: string
  readonly name?: string
}

/** As far as it is looked at: of ESTree. */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly id?: Named | null
  readonly declarations?: readonly { readonly id: Named }[]
  readonly declaration?: Node | null
  readonly source?: { readonly value: string } | null
  readonly specifiers?: readonly { readonly local: Named; readonly exported: Named }[]
}

/** All doors of the package in `folder`, each with its names. */
export function declaredTypes(folder: string): string {
  const { exports = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly exports?: Readonly<Record<string, { readonly '@avocet/source'?: string }>>
  }
  const doors = Object.entries(exports).flatMap(([door, { '@avocet/source': source }]) => {
    if (source?.endsWith('.ts') !== true) return []
    const names = [...exportsOf(join(folder, source))].sort(([one], [other]) => (one < other ? -1 : 1))
    return `# ${door}\n\n${names.map(([name, text]) => withName(name, text)).join('\n')}`
  })
  return `${doors.join('\n\n')}\n`
}

/** A name that is handed out as another says so. */
function withName(name: string, text: string): string {
  return new RegExp(`\\b${name.replace('$', '\\$')}\\b`).test(text) ? text : `${name} = ${text}`
}

const known = new Map<string, ReadonlyMap<string, string>>()

/** What a file exports, by name, followed through other files of the package. */
function exportsOf(path: string): ReadonlyMap<string, string> {
  const exported = known.get(path) ?? readExports(path)
  known.set(path, exported)
  return exported
}

function readExports(path: string): ReadonlyMap<string, string> {
  const { code } = isolatedDeclarationSync(path, readFileSync(path, 'utf8'))
  const found = new Map<string, string>()
  const local = new Map<string, string>()
  const { program } = parseSync(path.replace(/\.ts$/, '.d.ts'), code)
  for (const node of program.body as unknown as readonly Node[]) {
    const declaration = node.declaration ?? node
    for (const name of namesOf(declaration)) {
      const text = [local.get(name), shortened(code.slice(declaration.start, declaration.end))].filter(Boolean).join('\n')
      local.set(name, text)
      if (node !== declaration) found.set(name, text)
    }
    const from = node.source?.value
    const target = from?.startsWith('.') === true ? exportsOf(join(dirname(path), from)) : undefined
    if (node.type === 'ExportAllDeclaration') for (const [name, text] of target ?? []) found.set(name, text)
    for (const { local: own, exported } of node.type === 'ExportNamedDeclaration' ? (node.specifiers ?? []) : [])
      found.set(exported.name ?? '', (target ?? local).get(own.name ?? '') ?? `${exported.name ?? ''} from ${from ?? 'here'}`)
  }
  return found
}

function namesOf({ type, id, declarations = [] }: Node): readonly string[] {
  if (type.startsWith('Import')) return []
  return [id, ...declarations.map((one) => one.id)].flatMap((one) => one?.name ?? [])
}

function shortened(text: string): string {
  const bare = text.replaceAll(/\/\*[^]*?\*\//g, '').replaceAll(/^declare /gm, '')
  return bare
    .split('\n')
    .filter((line) => line.trim() !== '')
    .join('\n')
}
