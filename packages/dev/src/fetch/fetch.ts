// `avocet fetch`: one page as a crawl of this project would ask for it; its body, its head, or what each policy decided about it.
import { writeFile } from 'node:fs/promises'
import { STATUS_CODES } from 'node:http'
import { resolve } from 'node:path'
import { AvocetError, type Page } from '@avocet/core'
import { formatDuration, type ResponseHead } from '@avocet/core/plugin'
import { messageOf } from '@avocet/core/store'
import type { ExitCode } from '@avocet/project/command'
import { checkSeedUrl } from '@avocet/project/load'
import { print, printText, say, valuesInWords, writeAsIs, writeDocument, type Place } from '@avocet/project/place'
import { formatBytes, labelled, printable } from '@avocet/project/text'
import type { VisitWish } from './visit-flags.ts'
import type { HopReport, VisitReport } from './visit-report.ts'
import { visitSession } from './visit-session.ts'

/** What was typed. */
export interface FetchOptions extends VisitWish {
  readonly url: string
  readonly headers: boolean
  readonly explain: boolean
  readonly json: boolean
  /** File for the body; absent: standard output. */
  readonly output?: string
}

/**
 * Fetches the page and prints what was asked for. A page that no handler would see is printed too, and ends with 6.
 *
 * @throws AVO_SEED_INVALID, AVO_CONFIG_INVALID, AVO_OUTPUT_….
 */
export async function fetchCommand(options: FetchOptions, place: Place): Promise<ExitCode> {
  // What policies decide is known only of a page that is requested.
  const session = await visitSession({ ...options, refetch: options.refetch || options.explain }, place)
  try {
    const url = checkSeedUrl(options.url, 'fetch', session.config.secretParameters)
    const { page, report, now, code } = await session.fetch(url, { told: session.request })
    if (page) await writeBody(page, options, place)
    if (options.json) await writeDocument(place.stdout, documentOf(report, page, options))
    if (options.explain && !options.json) say(place.stderr, explainLines(report, now))
    else if (report.problem !== undefined) complain(report.problem, place)
    return code
  } finally {
    await session.close()
  }
}

function complain(problem: string, place: Place): void {
  say(place.stderr, `${place.paint('bad', 'avocet:')} fetch: ${problem}`)
}

async function writeBody(page: Page, { headers, explain, json, output }: FetchOptions, place: Place): Promise<void> {
  const { body } = page.response
  if (headers) await print(place.stdout, [...headLines(page.response), ...(output === undefined && !explain ? [''] : [])])
  if (output !== undefined) return writeOut(resolve(place.folder, output), body)
  if (explain || json) return
  if (!place.stdout.isTTY) return writeAsIs(place.stdout, body)
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
function documentOf(report: VisitReport, page: Page | undefined, { explain, output }: FetchOptions): object {
  const document = { schema: 1, ...report }
  if (page === undefined || explain || output !== undefined) return document
  if (isText(page)) return { ...document, body: page.body }
  return { ...document, bodyBase64: Buffer.from(page.response.body).toString('base64') }
}

/** `*` and `+` types that are text though they do not say so. */
const TEXT_TYPE = /^text\/|[/+](?:json|xml|javascript|ecmascript|yaml|x-ndjson|x-www-form-urlencoded)$/

/** Whether the body is text, by its content type and its first kilobytes. */
function isText({ contentType, response }: Page): boolean {
  return (
    TEXT_TYPE.test(contentType) || (contentType === 'application/octet-stream' && !response.body.subarray(0, 8_192).includes(0))
  )
}

/** Lines, without the blank one at the end. Names in lower case, as they are kept. */
function headLines({ status, headers }: ResponseHead): string[] {
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one) => `${printable(name)}: ${printable(one)}`),
  )
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd(), ...fields]
}

// What `avocet fetch --explain` says: what each policy decided about a page and its host, the way that the request took, and what came of it.

const row = labelled(11)

/** Lines, unfolded. Times are counted from `now`. */
export function explainLines(report: VisitReport, now: number): string[] {
  const { policyOf, policies, holds, hops } = report
  return [
    printable(report.finalUrl),
    row('robots.txt', robotsInWords(report)),
    ...Object.entries(policies)
      .filter(([, known]) => Object.keys(known).length > 0)
      // A policy is listed as what it decides; another plugin by its name.
      .map(([name, known]) => row(policyOf[name] ?? printable(name), valuesInWords(known, now))),
    ...holds.map(({ by, why, until }) => row('held by', `${printable(by)}${restInWords(until, now)}: ${printable(why)}`)),
    ...limitLines(report),
    ...hops.map((hop, index) => row(index === 0 ? 'requests' : '', hopInWords(hop))),
    ...answerLines(report),
    row('in a crawl', report.next),
  ]
}

function robotsInWords({ robots, policyOf }: VisitReport): string {
  if (!Object.values(policyOf).includes('robots')) return 'not obeyed: no policy for robots.txt'
  if (robots === undefined) return 'not known'
  return `${robots.allowed ? 'allowed' : 'not allowed'}${robots.rule === undefined ? '' : `: ${printable(robots.rule)}`}`
}

function restInWords(until: number | null, now: number): string {
  return until === null || until <= now ? '' : ` for ${formatDuration(until - now)}`
}

function limitLines({ limits }: VisitReport): string[] {
  if (limits === undefined) return []
  const { connectMs, firstByteMs, idleMs, totalMs, minBytesPerSecond } = limits
  const phases = Object.entries({ connect: connectMs, 'first byte': firstByteMs, 'pause in the body': idleMs, total: totalMs })
  const least = `at least ${formatBytes(minBytesPerSecond)} a second`
  return [row('limits', `${phases.map(([name, ms]) => `${name} ${formatDuration(ms)}`).join(', ')}, ${least}`)]
}

function hopInWords(hop: HopReport): string {
  const { url, status, failed, location, connectMs, firstByteMs, bodyMs } = hop
  const answer = failed ?? `${status}${location === undefined ? '' : ` to ${printable(location)}`}`
  const times = [
    ...(connectMs === undefined ? (firstByteMs === undefined ? [] : ['kept connection']) : [`connect ${exactly(connectMs)}`]),
    ...(firstByteMs === undefined ? [] : [`first byte ${exactly(firstByteMs)}`]),
    ...(bodyMs === undefined ? [] : [`body ${exactly(bodyMs)}`]),
  ]
  return `${printable(url)}  ${answer}${times.length === 0 ? '' : `  (${times.join(', ')})`}`
}

/** Loopback and good networks answer in less than ten. */
function exactly(ms: number): string {
  return ms < 10 ? `${ms} ms` : formatDuration(ms)
}

function answerLines(report: VisitReport): string[] {
  const { status, contentType, charset, coding, wireBytes = 0, decodedBytes = 0 } = report
  if (status === undefined) return []
  const size =
    coding === undefined
      ? formatBytes(decodedBytes)
      : `${formatBytes(wireBytes)} on the wire (${printable(coding)}), ${formatBytes(decodedBytes)} decoded`
  return [row('answer', `${status}, ${printable(contentType ?? '')}, ${charset}, ${size}`)]
}
