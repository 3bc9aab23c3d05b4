// Reads the members of an interface, with their doc comments, from its source: what a reference says of options is what the code says.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One member. */
export interface Member {
  readonly name: string
  readonly type: string
  /** Its doc comment as one line; empty when there is none. */
  readonly text: string
}

const ROOT = join(import.meta.dirname, '..')

/** The members of `name` in the file at `path` (from the root of the repository), in their order. Throws when there is no such interface. */
export function interfaceMembers(path: string, name: string): readonly Member[] {
  const source = readFileSync(join(ROOT, path), 'utf8')
  const body = new RegExp(`^export interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)^\\}`, 'm').exec(source)?.[1]
  if (body === undefined) throw new Error(`expected an interface ${name} in ${path}, found none`)
  const members = body.matchAll(/(?:^ {2}\/\*\*([\s\S]*?)\*\/\n)?^ {2}(?:readonly )?([a-z]\w*)\??: (.+)$/gm)
  return [...members].map(([, comment = '', member = '', type = '']) => ({ name: member, type, text: folded(comment) }))
}

function folded(comment: string): string {
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trim())
    .filter((line) => line !== '')
    .join(' ')
}
