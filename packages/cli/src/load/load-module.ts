// Imports a user's file natively (Node strips the types itself) and gives its default export.
import { stat } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { AvocetError, type FatalCode } from '@avocet/core'
import { loadHint } from './load-hint.ts'

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
