// The recorded files that the byte fuzzer starts from: small, and of the kinds that servers send.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, 'corpus')

/** All files of a kind, by name. */
export function corpusOf(kind: 'pages' | 'robots' | 'fields'): readonly Uint8Array[] {
  const names = globSync(`${kind}/*`, { cwd: FOLDER }).sort()
  if (names.length === 0) throw new Error(`expected files in ${FOLDER}/${kind}, got none`)
  return names.map((name) => readFileSync(join(FOLDER, name)))
}

/** The values of all header fields of this name. */
export function fieldsOf(name: string): readonly Uint8Array[] {
  const prefix = `${name.toLowerCase()}:`
  const values = corpusOf('fields')
    .flatMap((file) => Buffer.from(file).toString('utf8').split('\n'))
    .filter((line) => line.toLowerCase().startsWith(prefix))
    .map((line) => Buffer.from(line.slice(prefix.length).trim()))
  if (values.length === 0) throw new Error(`expected fields called ${name} in ${FOLDER}/fields, got none`)
  return values
}
