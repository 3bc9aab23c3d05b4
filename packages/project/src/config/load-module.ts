// Imports a user's file natively (Node strips the types itself) and gives its default export.
import { realpath, stat } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { basename, dirname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { AvocetError } from '@avocet/core'
import { messageOf, type FatalCode } from '@avocet/core/store'

/**
 * The default export of the file at `path` (absolute).
 *
 * @param code of the error when the file is missing, does not compile, throws, or exports nothing by default.
 */
export async function loadModule(path: string, code: FatalCode): Promise<unknown> {
  const isFile = await stat(path).then(
    (entry) => entry.isFile(),
    () => false,
  )
  if (!isFile) throw new AvocetError(code, `expected a file at ${path}, found none; check the path`)
  const loaded = await importFile(path, code)
  if (loaded['default'] === undefined) {
    const named = Object.keys(loaded).join(', ')
    throw new AvocetError(
      code,
      `${path}: expected a default export, found ${named === '' ? 'no export' : named}; write export default …`,
    )
  }
  return loaded['default']
}

async function importFile(path: string, code: FatalCode): Promise<Readonly<Record<string, unknown>>> {
  const url = pathToFileURL(path).href
  try {
    const attributes = path.endsWith('.json') ? { with: { type: 'json' } } : {}
    return (await import(url, attributes)) as Record<string, unknown>
  } catch (error) {
    throw new AvocetError(code, loadHint(error, path), { cause: error })
  }
}

/** `file:line`, when the error's stack begins with one (syntax errors do) or names `path`. */
const SYNTAX_PLACE = /^(?:file:\/\/)?(\/[^\n]*):(\d+)\n/

/**
 * One line: where, what Node said, what to do.
 *
 * Only erasable TypeScript runs without a build (Node's type stripping): the classes of errors below are the ways to leave it.
 */
function loadHint(thrown: unknown, path: string): string {
  const message = messageOf(thrown).split('\n')[0] ?? ''
  const way = wayOut(codeOf(thrown), message)
  return `${placeOf(thrown, path)}: ${message}${way === '' ? '' : `; ${way}`}`
}

function wayOut(code: string, message: string): string {
  switch (code) {
    case 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX':
      return wayOutOfSyntax(message)
    case 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING':
      return 'a package in node_modules must publish JavaScript'
    case 'ERR_UNKNOWN_FILE_EXTENSION':
      return 'a spider is a .ts, .mts, .js or .mjs file'
    case 'ERR_MODULE_NOT_FOUND':
    case 'MODULE_NOT_FOUND':
    case 'ERR_UNSUPPORTED_DIR_IMPORT':
      return wayOutOfImport(message)
    default:
      return wayOutOfText(message)
  }
}

function wayOutOfSyntax(message: string): string {
  if (message.includes('enum')) return "enums are not erasable: use a const object, const Color = { red: 'red' } as const"
  if (message.includes('parameter property')) return 'declare the field and assign it: readonly x; constructor(x) { this.x = x }'
  if (message.includes('namespace')) return 'use a module instead of a namespace'
  return 'only erasable TypeScript syntax is supported; set erasableSyntaxOnly in tsconfig.json to have tsc find the rest'
}

function wayOutOfImport(message: string): string {
  const packageName = /Cannot find package '([^']+)'/.exec(message)?.[1]
  if (packageName !== undefined) return `npm install ${packageName}`
  const file = /Cannot find module '([^']+)'/.exec(message)?.[1]
  if (file !== undefined) return `use the file's own extension, ./${basename(file).replace(/\.js$/, '')}.ts`
  return 'use the full path of the file, with its extension'
}

function wayOutOfText(message: string): string {
  if (message.includes('does not provide an export named')) return 'use import type for types'
  if (message.includes('Invalid or unexpected token')) return 'decorators and JSX need a build step'
  return ''
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''
}

function placeOf(thrown: unknown, path: string): string {
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : ''
  const [, file, line] = SYNTAX_PLACE.exec(stack) ?? []
  if (file !== undefined && line !== undefined) return `${decode(file)}:${line}`
  const at = stack.indexOf(`${path}:`)
  const lineOfPath = at < 0 ? undefined : /^\d+/.exec(stack.slice(at + path.length + 1))?.[0]
  return lineOfPath === undefined ? path : `${path}:${lineOfPath}`
}

/** The stack of a module names its URL. */
function decode(file: string): string {
  const path = file.replace(/\?reload=\d+$/, '')
  return path.includes('%') ? fileURLToPath(`file://${path}`) : path
}

// Whether a file that was found, and not named, may be run: nobody but its user can have written it.
//
// A user who changes into a folder of somebody else and asks for the status of a crawl must not run a file of that folder. Root may do everything anyway.
// A folder that anybody can write is as good as the file, unless it is sticky: then nobody else can put another file in its place. Windows has no such
// modes.

const ANYBODY_WRITES = 0o002
const STICKY = 0o1000
const ROOT = 0

/**
 * Looks at the file at `path`, at the one that it links to, and at their folders. `named`: how to run it all the same.
 *
 * @throws AVO_CONFIG_UNTRUSTED.
 */
export async function checkFound(path: string, named: string): Promise<void> {
  const user = process.geteuid?.()
  if (user === undefined) return
  const real = await realpath(path)
  for (const looked of new Set([real, dirname(path), dirname(real)])) {
    const { uid, mode } = await stat(looked)
    const what = looked === real ? 'one' : 'a folder'
    if (uid !== user && uid !== ROOT)
      throw untrusted(
        `${path}: expected a file that belongs to you, got ${what} of user ${uid}; if you trust it, name the file: ${named}`,
      )
    if ((mode & ANYBODY_WRITES) === 0 || (looked !== real && (mode & STICKY) !== 0)) continue
    throw untrusted(
      `${path}: expected a file that only you can write, got ${what} that everybody can write; run chmod o-w ${looked}, or name the file: ${named}`,
    )
  }
}

function untrusted(problem: string): AvocetError {
  return new AvocetError('AVO_CONFIG_UNTRUSTED', problem)
}

// Has the files of a project loaded anew: Node keeps each module for as long as the process lives, so a file is imported again under another URL.
//
// The files that the spider imports are imported again as well, because a hook gives every file below the folder the new URL, wherever it is imported
// from. Packages stay: two copies of one would not know each other's classes.
let version = 0
const roots = new Set<string>()

/** From now on imports of files below `folder` (absolute), other than packages, load them as they are now. */
export function reloadBelow(folder: string): void {
  if (version === 0) {
    registerHooks({
      resolve(specifier, context, next) {
        const found = next(specifier, context)
        return isBelow(found.url) ? { ...found, url: `${found.url}?reload=${version}` } : found
      },
    })
  }
  version++
  roots.add(`${pathToFileURL(folder).href}/`)
}

function isBelow(url: string): boolean {
  return !url.includes('/node_modules/') && !url.includes('?') && [...roots].some((root) => url.startsWith(root))
}
