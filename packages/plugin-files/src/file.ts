// What a handler yields to save a file: a link to the handler of the plugin, with the reference that items name the file by.
//
// The reference is known before the file is there, so an item never waits for a file. It is also the identity of the request, which the target of a redirect
// keeps: each reference gets a row of its own, whatever redirects where, and a file that a hundred items name is requested once.
import { createHash } from 'node:crypto'
import { AvocetError, Link, type Page } from '@avocet/core'
import { parseUrl } from '@avocet/core/plugin'
import { canonicalUrl, HIDDEN_VALUE } from '@avocet/core/store'
import { checkFileOptions, type DownloadOptions } from './options.ts'

/** Handler of files, as links write it. */
export const FILE_HANDLER = 'files/file'

const TEXT_LENGTH = 32

/** What the request of a file carries. */
export type FileWish = Pick<DownloadOptions, 'to' | 'maxBytes' | 'types'> & {
  /** What items name it by. */
  readonly ref: string
}

/** A link to a file. Yield it, and put its `ref` into items. */
export class FileLink extends Link<string, FileWish> {
  /** What items name the file by: `file:` and 32 hexadecimal digits. That of the same URL, in the same session, is the same in all runs. */
  readonly ref: string

  /** As `file()` makes it. */
  constructor(url: string, wish: FileWish, { priority, headers, again }: DownloadOptions) {
    super(url, {
      handler: FILE_HANDLER,
      identity: wish.ref,
      data: wish,
      ...(priority !== undefined && { priority }),
      ...(headers && { headers }),
      ...(again !== undefined && { again }),
    })
    this.ref = wish.ref
  }
}

/**
 * A link that saves the file at `src`, which may be relative to the page. Needs the plugin `files()`, or `files: true` in the configuration of the command.
 *
 * The file is streamed to disk and named by its content. Its request is one of the crawl: paced, retried and resumed as pages are, and subject to robots.txt;
 * the scope does not apply.
 * @throws AVO_HANDLER_LINK_INVALID for a URL that is none, and for an option that is unknown or of the wrong kind.
 *
 * @example
 * ```ts
 * // teas.ts
 * import { spider } from 'avocet'
 * import { file } from '@avocet/plugin-files'
 * import { readPage } from '@avocet/simulator'
 *
 * const teas = spider({
 *   name: 'teas',
 *   seeds: ['https://shop.example/'],
 *   handlers: {
 *     *start(page) {
 *       const photo = file(page, page.$('img').attr('src'), { to: 'images', types: ['image/*'] })
 *       yield photo
 *       yield { name: page.text('h1'), photo: photo.ref }
 *     },
 *   },
 * })
 * const { items, links } = await readPage(teas, { url: 'https://shop.example/', body: '<h1>Green tea</h1> <img src="green.jpg">' })
 * links[0]?.url // 'https://shop.example/green.jpg'
 * items[0] // { name: 'Green tea', photo: 'file:22ccb7ad102900b84e85296ff629c0dc' }
 * ```
 */
export function file(
  page: Pick<Page, 'baseUrl' | 'request'>,
  src: string | URL | undefined,
  options: DownloadOptions = {},
): FileLink {
  if (typeof page !== 'object' || page === null || typeof page.baseUrl !== 'string')
    throw invalid(`expected file() to be given the page and a URL, got ${JSON.stringify(page)}; write file(page, src)`)
  if (src === undefined || src === null || String(src).trim() === '')
    throw invalid(`expected file() to be given a URL, got ${JSON.stringify(src)}; leave out an element that has none`)
  const url = parseUrl(String(src), page.baseUrl)
  if (url === undefined)
    throw invalid(`expected file() to be given an http(s) URL of at most 8,000 bytes, got ${JSON.stringify(String(src))}`)
  checkFileOptions(url, options)
  const { to, maxBytes, types, key } = options
  const { session, url: pageUrl } = page.request
  const known = key === undefined ? canonicalUrl(withoutSecrets(url, pageUrl)) : `key ${key}`
  const ref = `file:${digest(JSON.stringify([known, session ?? '']))}`
  const wish = { ref, ...(to !== undefined && { to }), ...(maxBytes !== undefined && { maxBytes }), ...(types && { types }) }
  return new FileLink(url, wish, options)
}

/** A parameter that is secret in the URL of the page is secret in that of the file, too: no digest of it may be kept, and it changes from run to run. */
function withoutSecrets(url: string, pageUrl: string): string {
  if (!pageUrl.includes(HIDDEN_VALUE)) return url
  const secret = [...new URL(pageUrl).searchParams].filter(([, value]) => value === HIDDEN_VALUE).map(([name]) => name)
  const cleaned = new URL(url)
  for (const name of secret) if (cleaned.searchParams.has(name)) cleaned.searchParams.set(name, HIDDEN_VALUE)
  return cleaned.href
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, TEXT_LENGTH)
}

function invalid(message: string): AvocetError {
  return new AvocetError('AVO_HANDLER_LINK_INVALID', message)
}

// What is kept of a file that was saved: one row for each reference.

/** A saved file, as `avocet export --files` and sinks show it. */
export type FileRecord = {
  /** What items refer to it by: that of its `file()`. */
  readonly ref: string
  /** Where it came from: the target, if it was redirected. Secret values are shown as `__secret__`. */
  readonly url: string
  /** Relative to the folder of files; `/` between its parts. Files with the same content have the same path. */
  readonly path: string
  /** Of its content, hexadecimal. */
  readonly sha256: string
  /** Its size. */
  readonly bytes: number
  /** By its first bytes, else as the server says; empty when neither says. */
  readonly contentType: string
  /** Epoch ms. */
  readonly fetchedAt: number
}
