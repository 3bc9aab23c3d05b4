// Why a spider or config file could not be loaded, in one line with what to do: Node's own messages name the cause but not the way out.
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { messageOf } from '@avocet/core'

/** `file:line`, when the error's stack begins with one (syntax errors do) or names `path`. */
const SYNTAX_PLACE = /^(?:file:\/\/)?(\/[^\n]*):(\d+)\n/

/**
 * One line: where, what Node said, what to do.
 *
 * Only erasable TypeScript runs without a build (Node's type stripping): the classes of errors below are the ways to leave it.
 */
export function loadHint(thrown: unknown, path: string): string {
  const message = messageOf(thrown).split('\n')[0] ?? ''
  const way = wayOut(codeOf(thrown), message)
  return `${placeOf(thrown, path)}: ${message}${way === '' ? '' : `; ${way}`}`
}

function wayOut(code: string, message: string): string {
  switch (code) {
    case 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX':
      return wayOutOfSyntax(message)
    case 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING':
      return 'a package must publish JavaScript, or live outside node_modules'
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
  if (message.includes('parameter property'))
    return 'write the field and its assignment out: readonly x; constructor(x) { this.x = x }'
  if (message.includes('namespace')) return 'use a module of its own instead of a namespace'
  return 'only TypeScript that can be erased runs; let tsc find the rest with erasableSyntaxOnly'
}

function wayOutOfImport(message: string): string {
  const packageName = /Cannot find package '([^']+)'/.exec(message)?.[1]
  if (packageName !== undefined) return `npm install ${packageName}`
  const file = /Cannot find module '([^']+)'/.exec(message)?.[1]
  if (file !== undefined) return `write the ending that the file has, ./${basename(file).replace(/\.js$/, '')}.ts`
  return 'write the whole path of the file, with its ending'
}

function wayOutOfText(message: string): string {
  if (message.includes('does not provide an export named')) return 'import types with import type'
  if (message.includes('Invalid or unexpected token')) return 'decorators and JSX do not run without a build'
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
  return file.includes('%') ? fileURLToPath(`file://${file}`) : file
}
