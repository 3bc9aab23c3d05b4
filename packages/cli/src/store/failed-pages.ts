// Pages that handlers failed on, one of each kind of error, kept beside the store, so that a mended handler can be tried without asking the site.
//
// A folder `STORE.failed` with a file for each kind: a line of JSON, then the body. At most 20 files, the oldest goes first, of at most 2 MiB, and at most 20
// are written in an hour; for their user alone, and without the secrets of the crawl (`Session.withoutSecrets`). What cannot be written is not missed by the
// crawl. Others may have a folder of that name: only files that are named as ours are ever removed or replaced, and none behind a link.
import { hash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { AvocetError, type Crawl, type Json, type Page, type Request, type Response } from '@avocet/core'
import type { FailureCode, Session } from '@avocet/core/plugin'
import { groupOf, isSecretName, type FrontierReader, type HandlerErrorGroup } from '@avocet/core/store'
import { foundConfig } from '../load/config-file.ts'
import { localPlace, nameFrom, storeWord } from '../load/store-path.ts'
import { argumentWords, commandLine } from '../text/command-line.ts'
import { readStore } from './open-store.ts'

const MAX_PAGES = 20
const MAX_BYTES = 2 * 2 ** 20
const HOUR_MS = 3_600_000
/** What `avocet parse` cannot try again: it runs the handler, and no plugin. */
const OF_PLUGINS: ReadonlySet<FailureCode> = new Set(['AVO_PLUGIN_THREW', 'AVO_PLUGIN_TIMEOUT'])

/** What is kept of a page beside its body. */
interface KeptPage {
  readonly url: string
  readonly handler: string
  readonly status: number
  readonly contentType: string
  readonly data: Json
  /** Epoch ms. */
  readonly fetchedAt: number
  /** Of the file that declares the spider, or of the configuration that has it; absent where neither does. */
  readonly spiderPath?: string
  /** How the crawl was typed. */
  readonly typed?: TypedSpider
}

/** What the spider of a crawl was made with. */
interface TypedSpider {
  /** Without values that may be secrets. */
  readonly args: Readonly<Record<string, string>>
  /** Absolute. */
  readonly configPath?: string
}

/** A page as it was kept. */
export interface FailedPage extends KeptPage {
  readonly body: Uint8Array
}

/** Where pages of the store at `path`, or of one on a server with this place here (`localPlace`), are kept. */
function failedPagesFolder(path: string): string {
  return `${path}.failed`
}

/** Beside which store pages are kept, and how the spider is told of again. */
export interface FailedPagesWish {
  /** That pages are kept beside: of the store, or its place here. */
  readonly path: string
  readonly spiderPath: string | undefined
  readonly typed: TypedSpider
}

/** What is crawled. */
interface Source extends FailedPagesWish {
  readonly crawl: Crawl
}

/** Keeps the first page of each kind of error of `crawl`, and each hour one that is younger. */
export function keepFailedPages({ crawl, path, ...source }: Source): void {
  const folder = failedPagesFolder(path)
  const met = new Set<string>()
  let since = -Infinity
  let withoutSecrets: Session['withoutSecrets'] | undefined
  crawl.hooks.open.tapPromise('failed-pages', async (session) => {
    withoutSecrets = session.withoutSecrets
  })
  crawl.hooks.onHandlerError.tap('failed-pages', (failed) => {
    const { handlerError } = failed.failure
    if (failed.now - since >= HOUR_MS) {
      met.clear()
      since = failed.now
    }
    if (OF_PLUGINS.has(handlerError.code) || met.size >= MAX_PAGES || failed.response.body.byteLength > MAX_BYTES) return
    const name = fileNameOf(groupOf(handlerError))
    if (met.has(name)) return
    met.add(name)
    try {
      const record = withoutSecrets && recordOf(failed, source, withoutSecrets)
      if (record === undefined) return
      makeRoom(folder)
      writePage(join(folder, name), record)
    } catch {
      // A full disk pauses the crawl by itself; a page that is not kept can still be fetched.
    }
  })
}

/** In place of the page of an earlier run. A link is replaced by nothing, and not followed. */
function writePage(file: string, record: Uint8Array): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === true) rmSync(file)
  writeFileSync(file, record, { mode: 0o600, flag: 'wx' })
}

/** Undefined where it cannot be searched for secrets. */
function recordOf(
  { request, response, now }: { readonly request: Request; readonly response: Response; readonly now: number },
  { spiderPath, typed }: Pick<FailedPagesWish, 'spiderPath' | 'typed'>,
  withoutSecrets: Session['withoutSecrets'],
): Uint8Array | undefined {
  const data = Buffer.from(JSON.stringify(request.data ?? null))
  const clean = withoutSecrets({ request, response })
  const cleanData = withoutSecrets({ request, response: { ...response, headers: {}, body: data } })
  if (clean === undefined || cleanData === undefined) return undefined
  const type = clean.headers['content-type']
  const kept: KeptPage = {
    url: request.url,
    handler: request.handler,
    status: response.status,
    contentType: [type ?? ''].flat().at(-1) ?? '',
    data: JSON.parse(Buffer.from(cleanData.body).toString()) as Json,
    fetchedAt: now,
    ...(spiderPath !== undefined && { spiderPath }),
    typed: { ...typed, args: withoutSecretArguments(typed.args) },
  }
  return Buffer.concat([Buffer.from(`${JSON.stringify(kept)}\n`), clean.body])
}

/** Removes the pages that are kept for the store at `path`, and their folder if it has nothing else. */
export function forgetFailedPages(path: string): void {
  const folder = failedPagesFolder(path)
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return
  for (const { file } of ownFiles(folder)) rmSync(file, { force: true })
  if (readdirSync(folder).length === 0) rmdirSync(folder)
}

/** One more finds room: others of ours go, the oldest first. Throws where the folder is a link: what is behind it is somebody else's. */
function makeRoom(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw new AvocetError('AVO_INTERNAL', `expected a folder, got a link: ${folder}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const files = ownFiles(folder).toSorted((a, b) => a.at - b.at)
  for (const { file } of files.slice(0, Math.max(0, files.length - MAX_PAGES + 1))) rmSync(file, { force: true })
}

/** Pages of ours; `at`: when they were written. */
function ownFiles(folder: string): { readonly file: string; readonly at: number }[] {
  return readdirSync(folder).flatMap((name) => {
    const file = join(folder, name)
    const entry = OWN_NAME.test(name) ? lstatSync(file, { throwIfNoEntry: false }) : undefined
    return entry?.isFile() === true ? [{ file, at: entry.mtimeMs }] : []
  })
}

const OWN_NAME = /^[0-9a-f]{16}\.page$/

function fileNameOf(group: string): string {
  return `${hash('sha256', group).slice(0, 16)}.page`
}

/** A store, and the place that its files are named after. */
interface StorePlace {
  readonly store: string
  readonly beside: string
}

/**
 * The page at `url` that was kept for a store; of several the youngest. Undefined where there is none, and where the page has not failed any more
 * since.
 */
export async function failedPageAt({ store, beside }: StorePlace, url: string): Promise<FailedPage | undefined> {
  const found = (await keptOf(beside)).filter(({ page }) => page.url === url)
  const [youngest] = found.map(({ page }) => page).toSorted((a, b) => b.fetchedAt - a.fetchedAt)
  if (youngest === undefined) return undefined
  return (await readStore(store, (reader) => hasFailed(reader, url))) ? youngest : undefined
}

async function keptOf(path: string): Promise<readonly { readonly file: string; readonly page: FailedPage }[]> {
  const folder = failedPagesFolder(path)
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  const pages = await Promise.all(ownFiles(folder).map(async ({ file }) => ({ file, page: await readPage(file) })))
  return pages.flatMap(({ file, page }) => (page === undefined ? [] : [{ file, page }]))
}

async function hasFailed(reader: FrontierReader, url: string): Promise<boolean> {
  return (await reader.history(url)).some(({ state }) => state === 'failed')
}

/** What cannot be read is none: it may be half written. */
async function readPage(path: string): Promise<FailedPage | undefined> {
  try {
    if (!path.endsWith('.page') || (await stat(path)).size > 2 * MAX_BYTES) return undefined
    const bytes = await readFile(path)
    const end = bytes.indexOf(10)
    return { ...(JSON.parse(bytes.toString('utf8', 0, end)) as KeptPage), body: bytes.subarray(end + 1) }
  } catch {
    return undefined
  }
}

/** The page as a handler sees it. */
export async function pageOfFailed(
  { url, body, status, contentType, data, handler, fetchedAt }: FailedPage,
  html: 'parse5' | 'fast',
): Promise<Page> {
  const { recordedPage } = await import('@avocet/simulator')
  const headers = contentType === '' ? {} : { 'content-type': contentType }
  return recordedPage({ url, body, status, headers, handler, html, fetchedAt, ...(data !== null && { data }) })
}

/** What a page is parsed with, beside what was kept of it. */
interface ParsePlace {
  /** Address of the store. */
  readonly path: string
  /** Where the command will be typed. */
  readonly folder: string
}

/** How to run the handler again on the first of these pages that was kept, the command on a line of its own; nothing where none was. */
export async function howToParse(groups: readonly HandlerErrorGroup[], at: ParsePlace): Promise<string[]> {
  for (const group of groups) {
    const page = await readPage(join(failedPagesFolder(localPlace(at.folder, at.path)), fileNameOf(groupOf(group))))
    if (page?.spiderPath === undefined) continue
    const { url, handler } = page
    const words = [url, ...spiderWords(page, at), '--handler', handler, '--store', storeWord(at.folder, at.path)]
    return ['to run a handler again on a page that it failed on, without fetching it:', `  ${commandLine(['parse', ...words])}`]
  }
  return []
}

/** How `avocet parse` is told of the spider. A configuration that it finds by itself has it already. */
function spiderWords({ spiderPath = '', typed }: FailedPage, { folder }: ParsePlace): string[] {
  const { configPath, args = {} } = typed ?? {}
  const config = configPath === undefined ? [] : ['--config', nameFrom(folder, configPath)]
  if (configPath === spiderPath) return config
  if (foundConfig(folder) === spiderPath) return []
  if (/^avocet\.config\.\w+$/.test(basename(spiderPath))) return ['--config', nameFrom(folder, spiderPath)]
  return ['--spider', nameFrom(folder, spiderPath), ...config, ...argumentWords(args)]
}

/** The arguments with an ellipsis in place of values that may be secrets, by their names. */
export function withoutSecretArguments(args: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, isSecretName(name) ? '…' : value]))
}
