// Reads what a source file declares, with its doc comments: a reference says what the code says. Plain text suffices, because the code is formatted.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A member of an interface or a class, or one case of a union. */
export interface Member {
  readonly name: string
  /** On one line. Of a method: what it returns. */
  readonly type: string
  /** Of a method, without type parameters: `selector?: string`. */
  readonly parameters?: string
  readonly optional: boolean
  /** Its doc comment up to the first tag, as one line; empty when there is none. */
  readonly text: string
  /** As of `DocComment`. */
  readonly throws?: string
  /** As of `DocComment`. */
  readonly examples: readonly string[]
}

/** A doc comment in its parts. */
export interface DocComment {
  /** What stands before the first tag; paragraphs are separated by an empty line. */
  readonly text: string
  /** What stands after `@throws`. */
  readonly throws?: string
  /** Fenced blocks after `@example`, with what introduces them. */
  readonly examples: readonly string[]
}

const ROOT = join(import.meta.dirname, '..')

/** The members of the interface or class `name` in the file or folder at `path` (from the root), in their order. Throws when there is no such thing. */
export function membersOf(path: string, name: string): readonly Member[] {
  const body = new RegExp(`^(?:export )?(?:interface|class) ${name}\\b[^{]*\\{\\n([\\s\\S]*?)^\\}`, 'm').exec(
    sourceOf(path, name),
  )?.[1]
  if (body === undefined) throw new Error(`expected an interface ${name} in ${path}, found none`)
  const declared = body.match(/^ {2}(?!constructor\b)(?:readonly )?[\w$]+\??(?:\(|<|:[ \n])/gm)?.length ?? 0
  // A member ends where a line of its own indent is complete: `}` and `)` of that indent belong to what began above them.
  const matches = body.matchAll(
    /(?:^ {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^ {2}(?!constructor\b)(?:readonly )?([a-z$]\w*)(\??)((?:\(|<|: |:(?=\n)).*\n(?:(?: {4}| {2}[)}]).*\n)*)/gm,
  )
  const members = [...matches]
  if (members.length !== declared)
    throw new Error(`expected to read ${String(declared)} members of ${name} in ${path}, read ${String(members.length)}`)
  return members
    .map(([, comment = '', member = '', mark = '', rest = '']) => memberOf(member, mark === '?', commentOf(comment), rest))
    .filter(({ name: member, text }, n, all) => text !== '' || all.findIndex((other) => other.name === member) === n)
}

/** The cases of the union `name` at `path`: of each the value that tells it apart, its other fields, and what it means. */
export function casesOf(path: string, name: string): readonly Member[] {
  const body = new RegExp(`^export type ${name} =\\n((?: {2}.*\\n)+)`, 'm').exec(sourceOf(path, name))?.[1]
  if (body === undefined) throw new Error(`expected a union ${name} in ${path}, found none`)
  const cases = body.matchAll(/(?:^ {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^ {2}\| ([\s\S]*?)(?=^ {2}\||^ {2}\/\*\*|(?![\s\S]))/gm)
  return [...cases].map(([, comment = '', shape = '']) => {
    const [, tag = '', fields = '', more = ''] =
      /^\(?\{ (?:kind|law): '([\w-]+)';? ?(.*?);? \}( & \w+\))?$/.exec(plain(shape)) ?? []
    if (tag === '') throw new Error(`expected each case of ${name} in ${path} to begin with its kind, got ${plain(shape)}`)
    const type = [fields, more.replace(/[()&\s]/g, '')].filter((part) => part !== '').join('; ')
    return { name: tag, type, optional: false, ...lineOf(commentOf(comment)) }
  })
}

/** The doc comment of what `path` exports as `name`: of a function's first signature. Throws when there is none. */
export function docOf(path: string, name: string): DocComment {
  const comment = new RegExp(
    `\\/\\*\\*((?:(?!\\*\\/)[\\s\\S])*)\\*\\/\\n(?:export )?(?:interface|class|type|function|async function\\*?) ${name}\\b`,
  ).exec(sourceOf(path, name))?.[1]
  if (comment === undefined) throw new Error(`expected a doc comment of ${name} in ${path}, found none`)
  return commentOf(comment)
}

function commentOf(comment: string): DocComment {
  const [text = '', ...tags] = linesOf(comment)
    .join('\n')
    .trim()
    .split(/^(?=@\w)/m)
  const throws = tags.find((tag) => tag.startsWith('@throws'))
  return {
    text: paragraphs(text),
    ...(throws !== undefined && { throws: paragraphs(throws.replace(/^@throws (?:\{\w+\} |AvocetError )?/, '')) }),
    examples: tags.filter((tag) => tag.startsWith('@example')).map((tag) => tag.replace('@example', '').trim()),
  }
}

function memberOf(name: string, optional: boolean, doc: DocComment, rest: string): Member {
  if (rest.startsWith(':')) return { name, type: plain(rest.slice(1)).replace(/^\| /, ''), optional, ...lineOf(doc) }
  const [, own = ''] = /^<([^(]*)>\(/.exec(rest) ?? []
  const typeParameters = [...own.matchAll(/(?:^|, )(?:const )?(\w+)/g)].map((match) => match[1] ?? '')
  const [, parameters = '', type = ''] = /^(?:<[^(]*>)?\(([\s\S]*)\): (.+)$/.exec(plain(rest)) ?? []
  const shorter = (written: string): string => without(written, typeParameters)
  return { name, type: shorter(type), parameters: shorter(parameters).replace(/,\s*$/, '').trim(), optional, ...lineOf(doc) }
}

/** Without the type arguments that name the type parameters of a method: they let the compiler infer, and tell a reader nothing. */
function without(type: string, typeParameters: readonly string[]): string {
  if (typeParameters.length === 0) return type
  const named = new RegExp(`<[^<>]*\\b(?:${typeParameters.join('|')})\\b[^<>]*>`)
  let shorter = type.replace(/NoInfer<(\w+)>/g, '$1')
  while (named.test(shorter)) shorter = shorter.replace(named, '')
  return shorter
}

/** A type on one line, without comments and without `readonly` of fields. */
function plain(type: string): string {
  return type
    .replace(/\/\*\*[\s\S]*?\*\//g, '')
    .replace(/([{;]\s*|^\s*)readonly (\w+\??:)/gm, '$1$2')
    .replace(/([^{;,(|&\s])\n\s*(?=\w+\??:)/g, '$1; ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** For a cell of a table: the text on one line. */
function lineOf(doc: DocComment): DocComment {
  return { ...doc, text: doc.text.replaceAll(/\s+/g, ' ') }
}

function paragraphs(text: string): string {
  return text
    .trim()
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.split('\n').join(' '))
    .join('\n\n')
}

function linesOf(comment: string): readonly string[] {
  return comment.split('\n').map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
}

/** The file at `path`, or the one file below the folder `path` that declares `name` for others, or else for itself. */
function sourceOf(path: string, name: string): string {
  if (path.endsWith('.ts')) return readFileSync(join(ROOT, path), 'utf8')
  const declaration = `(?:interface|class|type|const|function|async function\\*?) ${name}\\b`
  const sources = globSync('**/*.ts', { cwd: join(ROOT, path) }).map((file) => readFileSync(join(ROOT, path, file), 'utf8'))
  const exporting = sources.filter((text) => new RegExp(`^export ${declaration}`, 'm').test(text))
  const found = exporting.length > 0 ? exporting : sources.filter((text) => new RegExp(`^${declaration}`, 'm').test(text))
  const [source = ''] = found
  if (found.length !== 1) throw new Error(`expected one file in ${path} that declares ${name}, found ${String(found.length)}`)
  return source
}
