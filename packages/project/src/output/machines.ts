// The one writer for machines: JSON in which every character that a terminal would obey is written as an escape, for a pipe may end at a terminal.
import type { Writable } from 'node:stream'
import { writeAsIs } from './write-as-is.ts'

/** JSON escapes C0 itself. The others, also those that JavaScript, but not JSON, takes for line ends; lone surrogates come escaped. */
const UNPRINTABLE = /[\u007f-\u009f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g

/** `json`, which means the same and can be printed anywhere. */
export function printableJson(json: string): string {
  return json.replace(UNPRINTABLE, (found) =>
    Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  )
}

/** One JSON document in a line. Throws AVO_OUTPUT_CLOSED, AVO_OUTPUT_UNWRITABLE, as all of these. */
export async function writeDocument(stdout: Writable, document: unknown): Promise<void> {
  await writeRecords(stdout, [JSON.stringify(document)])
}

/** JSON texts, one a line. Resolves to the bytes that they came to. */
export async function writeRecords(stdout: Writable, records: readonly string[]): Promise<number> {
  const text = records.map((json) => `${printableJson(json)}\n`).join('')
  await writeAsIs(stdout, text)
  return Buffer.byteLength(text)
}

/** The same without waiting. Returns whether the stream takes more. */
export function sendRecord(stdout: Writable, record: unknown): boolean {
  return stdout.write(`${printableJson(JSON.stringify(record))}\n`)
}
