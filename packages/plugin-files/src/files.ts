// The plugin: opens a saver for each file that is about to be requested, and makes a row of what was saved.
//
// A file is a document of the plugin: an ordinary request, whose body goes to the disk and whose row is committed with its outcome. While the disk has no room,
// files wait and pages continue.
import { resolve } from 'node:path'
import { AvocetError, definePlugin, type Page, type Plugin } from '@avocet/core'
import { type Failure, headerOf, type OutgoingRequest, reportedOptions, type SavedBody, type Session } from '@avocet/core/plugin'
import { messageOf } from '@avocet/core/store'
import { FileSaver } from './file-saver.ts'
import { saidType, typeOfPath } from './file-types.ts'
import { FILE_HANDLER, type FileRecord } from './file.ts'
import { FilesFolder } from './files-folder.ts'
import { checkedFilesRules, type FilesOptions, type FilesRules, isInside, isTypes } from './options.ts'

/** How long files wait for room on the disk before it is looked at again. */
const WAIT_MS = 60_000
/** Between two looks at a disk that has room. */
const LOOK_MS = 5_000

/** What the plugin has of one crawl. */
interface Room {
  readonly session: Session
  readonly folder: FilesFolder
  /** Epoch ms until which no file is requested; 0: at once. */
  fullUntil: number
  lookedAt: number
  look?: Promise<void>
}

/**
 * Saves the files that handlers yield with `file()`: streamed to disk, named by their SHA-256, resumed after an interruption. Each becomes a `FileRecord` in
 * the store.
 *
 * @throws AVO_CONFIG_INVALID for an option that is unknown or of the wrong kind.
 *
 * @example
 * ```ts
 * const plugins = [files({ folder: 'downloads', maxBytes: 50e6, types: ['image/*', 'application/pdf'] })]
 * ```
 */
export function files(options: FilesOptions = {}): Plugin {
  const rules = checkedFilesRules(options)
  // By the memory of a crawl, which is another object in each: one plugin may serve several.
  const rooms = new WeakMap<object, Room>()
  return definePlugin<undefined, Record<string, never>>({
    name: 'files',
    outsideEffects: true,
    options: reportedOptions(options),
    crawlMemory: () => ({}),
    merge: (a) => a,
    // A file is saved once: rounds are for pages.
    handlers: { file: { records: true, everyMs: Infinity, handle: (page, crawl) => recordsOf(page, rooms.get(crawl), rules) } },
    open(session, crawl) {
      const folder = new FilesFolder(resolve(rules.folder), { now: () => session.clock.now() })
      rooms.set(crawl, { session, folder, fullUntil: 0, lookedAt: -Infinity })
    },
    async beforeRequest(outgoing, _host, crawl) {
      const room = rooms.get(crawl)
      if (room === undefined || outgoing.exchange.request.handler !== FILE_HANDLER) return
      await prepare(outgoing, room, rules)
    },
    onResponse(answer, _host, crawl) {
      const { request } = answer.exchange
      const folder = rooms.get(crawl)?.folder
      const key = keyOf(request.fingerprint)
      if (request.handler !== FILE_HANDLER || answer.response.status !== 416 || folder?.hasLeft(key) !== true) return
      // There is no such range: the file is another one by now. Without the part no range is asked for.
      folder.ends(key, () => folder.forget(key).catch(() => undefined))
      answer.retry(answer.now, 'file-range')
    },
    onSettled({ request, outcome }, crawl) {
      if (request.handler !== FILE_HANDLER || outcome.kind === 'retry') return
      const key = keyOf(request.fingerprint)
      const folder = rooms.get(crawl)?.folder
      folder?.ends(key, () => folder.forget(key).catch(() => undefined))
    },
    async close(_report, crawl) {
      await rooms.get(crawl)?.folder.settled()
    },
  })
}

/** Puts the request off while there is no room, else gives it a saver. */
async function prepare(outgoing: OutgoingRequest, room: Room, rules: FilesRules): Promise<void> {
  const { exchange, now } = outgoing
  if (await isFull(room, rules, now)) return outgoing.retry(room.fullUntil, 'disk-full')
  const key = keyOf(exchange.request.fingerprint)
  const { to, maxBytes, types } = wishIn(exchange.request.data, rules)
  try {
    const left = await room.folder.find(key)
    const saver = new FileSaver(room.folder, { key, to, maxBytes, types, left, troubled: (message) => trouble(room, message) })
    outgoing.save(saver)
  } catch (error) {
    trouble(room, `cannot read what is there of a file: ${messageOf(error)}`)
    outgoing.retry(room.fullUntil, 'disk-failed')
  }
}

/** Whether files wait for the disk; all that are asked for together await one look. */
async function isFull(room: Room, rules: FilesRules, now: number): Promise<boolean> {
  if (now >= Math.max(room.fullUntil, room.lookedAt + LOOK_MS)) {
    room.lookedAt = now
    room.look = lookAtDisk(room, rules)
  }
  await room.look
  return now < room.fullUntil
}

async function lookAtDisk(room: Room, { minFreeBytes }: FilesRules): Promise<void> {
  const free = await room.folder.freeBytes().catch(() => undefined)
  if ((free ?? minFreeBytes) < minFreeBytes)
    trouble(
      room,
      `the disk of the files has less than ${minFreeBytes} bytes left (minFreeBytes of files): files wait for free space, pages continue`,
    )
}

function trouble(room: Room, message: string): void {
  room.fullUntil = room.session.clock.now() + WAIT_MS
  room.session.problem(message)
}

/** The row of a file. None of an answer that is no file, such as a 404 that the spider takes for a page. */
async function* recordsOf(page: Page, room: Room | undefined, rules: FilesRules): AsyncGenerator<FileRecord> {
  const { request, response, fetchedAt } = page
  const { ref } = wishIn(request.data, rules)
  const saved = response.saved ?? (room && (await savedNow(page, room, rules)))
  if (saved === undefined) return
  const { path, sha256, bytes } = saved
  const contentType = typeOfPath(path, saidType(headerOf(response.headers, 'content-type')))
  yield { ref, url: request.url, path, sha256, bytes, contentType, fetchedAt }
}

/** Saves what came in one piece, from a plugin or a fetcher that saves nothing. */
async function savedNow({ request, response }: Page, room: Room, rules: FilesRules): Promise<SavedBody | undefined> {
  const wish = wishIn(request.data, rules)
  const contentType = response.headers['content-type'] ?? ''
  const troubled = (message: string): void => trouble(room, message)
  const saver = new FileSaver(room.folder, { ...wish, key: keyOf(request.fingerprint), left: undefined, troubled })
  const answer = saver.accepts({ status: response.status, headers: { 'content-type': contentType } })
  if (answer === 'read') return undefined
  if (answer !== 'save') throw new AvocetError(answer.code, answer.message)
  const written = saver.write(response.body)
  if (typeof written === 'object') saver.abort()
  const outcome = typeof written === 'object' ? written : await new Promise<SavedBody | Failure>((done) => saver.end(done))
  if ('code' in outcome) throw new AvocetError(outcome.code, outcome.message)
  return outcome
}

/** Names the parts of a request: its fingerprint, one byte a character. */
function keyOf(fingerprint: string): string {
  return Buffer.from(fingerprint, 'latin1').toString('hex')
}

/** What is wanted of a file, with the defaults of the plugin. */
interface CheckedWish {
  /** Empty of a link that was made by hand. */
  readonly ref: string
  readonly to: string | undefined
  readonly maxBytes: number
  readonly types: readonly string[] | undefined
}

/** The wish in `data`. */
function wishIn(data: unknown, rules: FilesRules): CheckedWish {
  const { ref, to, maxBytes, types } = (typeof data === 'object' && data !== null ? data : {}) as Readonly<
    Record<string, unknown>
  >
  return {
    ref: typeof ref === 'string' ? ref : '',
    to: typeof to === 'string' && isInside(to) ? to : undefined,
    maxBytes: Number.isSafeInteger(maxBytes) && (maxBytes as number) > 0 ? (maxBytes as number) : rules.maxBytes,
    types: isTypes(types) ? types : rules.types,
  }
}
