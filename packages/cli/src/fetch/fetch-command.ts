// `avocet fetch`: one page as a crawl of this project would ask for it; its body, its head, or what each policy decided about it.
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AvocetError, messageOf, type Page, formatBytes } from '@avocet/core'
import { writeBytes, writeDocument } from '../output/machines.ts'
import { print, printText, say } from '../output/people.ts'
import type { ExitCode } from '../exit-code.ts'
import { checkSeedUrl } from '../load/seed-list.ts'
import type { Place } from '../place.ts'
import { fold } from '../text/columns.ts'
import { printable } from '../text/printable.ts'
import { screenColumns } from '../view/screen-columns.ts'
import { explainLines } from './explain-lines.ts'
import type { FetchOptions } from './fetch-options.ts'
import { isText } from './page-body.ts'
import { headLines } from './raw-head.ts'
import type { ToldVisit } from './told-visit.ts'
import { visitSession } from './visit-session.ts'

/**
 * Fetches the page and prints what was asked for. A page that no handler would see is printed too, and ends with 6.
 *
 * @throws AVO_SEED_INVALID, AVO_CONFIG_INVALID, AVO_OUTPUT_….
 */
export async function fetchCommand(options: FetchOptions, place: Place): Promise<ExitCode> {
  const session = await visitSession(options, place)
  try {
    const url = checkSeedUrl(options.url, 'fetch', session.config.secretParameters)
    const { page, told, now, code } = await session.fetch(url)
    if (page) await writeBody(page, options, place)
    if (options.json) await writeDocument(place.stdout, documentOf(told, page, options))
    if (options.explain && !options.json) say(place.stderr, explainLines(told, now, screenColumns(place.stderr)))
    else if (told.problem !== undefined) complain(told.problem, place)
    return code
  } finally {
    await session.close()
  }
}

function complain(problem: string, place: Place): void {
  say(place.stderr, fold(`${place.paint('bad', 'avocet:')} fetch: ${problem}`, screenColumns(place.stderr)))
}

async function writeBody(page: Page, { headers, explain, json, output }: FetchOptions, place: Place): Promise<void> {
  const { body } = page.response
  if (headers) await print(place.stdout, [...headLines(page.response), ...(output === undefined && !explain ? [''] : [])])
  if (output !== undefined) return writeOut(resolve(place.folder, output), body)
  if (explain || json) return
  if (!place.stdout.isTTY) return writeBytes(place.stdout, body)
  if (isText(page)) return printText(place.stdout, page.body)
  say(place.stderr, `the body is ${printable(page.contentType)}, ${formatBytes(body.byteLength)}: -o FILE or a pipe takes it`)
}

async function writeOut(path: string, body: Uint8Array): Promise<void> {
  await writeFile(path, body, { mode: 0o600 }).catch((error: unknown) => {
    throw new AvocetError('AVO_OUTPUT_UNWRITABLE', `${path}: expected a file that can be written, got ${messageOf(error)}`, {
      cause: error,
    })
  })
}

/** The body as text where it is text, else as base64; not at all with `--explain` or when it goes to a file. */
function documentOf(told: ToldVisit, page: Page | undefined, { explain, output }: FetchOptions): object {
  const document = { schema: 1, ...told }
  if (page === undefined || explain || output !== undefined) return document
  if (isText(page)) return { ...document, body: page.body }
  return { ...document, bodyBase64: Buffer.from(page.response.body).toString('base64') }
}
