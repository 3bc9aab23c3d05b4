// A script of the bench without its types: Node's type stripper is 14 MB, and some milliseconds, that no program of compiled code has.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the stripped script is: within node_modules, so that its imports resolve. */
export function withoutTypes(script: URL): string {
  const folder = fileURLToPath(new URL('../node_modules/.cache/avocet-bench', import.meta.url))
  mkdirSync(folder, { recursive: true })
  const path = `${folder}/${basename(script.pathname).replace('.ts', '.mjs')}`
  writeFileSync(path, stripTypeScriptTypes(readFileSync(script, 'utf8')))
  return path
}
