// The folder that a project goes into: a name that npm takes for a package, and nothing in it yet.
import { readdirSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { UsageError } from './usage-error.ts'

/** What npm allows (validate-npm-package-name 7), without scopes, and nothing that a user agent could not be called. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/

/** Left by editors, systems and `git init`, `LICENSE` by the host of the repository; they do not make a folder a project. */
const HARMLESS = ['.git', '.gitattributes', '.DS_Store', '.idea', '.vscode', 'LICENSE', 'Thumbs.db']

/** Where to, and what the project is called. */
export interface Target {
  /** Absolute. */
  readonly path: string
  readonly project: string
}

/**
 * The target for `typed`, seen from `folder`.
 *
 * @throws UsageError when it is no name for a project, or something is there already.
 */
export function targetFolder(typed: string, folder: string): Target {
  const path = resolve(folder, typed)
  const project = basename(path)
  if (!NAME.test(project)) {
    const better = project
      .toLowerCase()
      .replaceAll(/[^a-z0-9._-]+/g, '-')
      .replace(/^[._-]+|-+$/g, '')
    throw new UsageError(
      `expected a folder name of small letters, digits, '-', '_' and '.', got '${project}'${better === '' ? '' : `; try ${better}`}`,
    )
  }
  const found = entriesOf(path).filter((name) => !HARMLESS.includes(name))
  if (found.length > 0) {
    const more = found.length > 3 ? ` and ${String(found.length - 3)} more` : ''
    throw new UsageError(`expected an empty folder at ${path}, found ${found.slice(0, 3).join(', ')}${more}; choose another name`)
  }
  return { path, project }
}

function entriesOf(path: string): readonly string[] {
  try {
    return readdirSync(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw new UsageError(`expected a folder at ${path}, found something else (${error instanceof Error ? error.message : ''})`)
  }
}
