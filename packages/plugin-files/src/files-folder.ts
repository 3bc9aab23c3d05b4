// The folder of files: finished ones by their content, `.part` with those that are being written, and who may go on with which.
//
// A finished file is a rename of a synced part, so a name of 64 digits and an extension is always a whole file. A rename onto a name that is there replaces a
// file with its equal. Nothing that a server sends becomes a path: names are digits and an extension of a list, folders are checked not to be links.
import { join } from 'node:path'
import type { Held } from './answer.ts'
import { type Disk, nodeDisk, type OpenFile } from './disk.ts'
import { isAbandoned, newPartName, notePath, partOfFile, readNote, readPartName, removePart, writeNote } from './part-note.ts'
import type { PartName } from './part-note.ts'

const PARTS = '.part'
const DAY_MS = 86_400_000
/** What was left for so long is not resumed: the file has changed, or nobody wants it. */
const KEPT_MS = 7 * DAY_MS
/** Files of parts that are looked at, of all that are there. */
const MOST_FILES = 30_000
/** What other processes left is looked for at most so often. */
const LOOK_MS = 60_000
/** Left by a kill, of one request: more are removed the next time. */
const MOST_PARTS = 20

/** Tokens of the parts that this process writes, for all of its crawls. */
const OF_THIS_PROCESS = new Set<string>()

/** A part that this process writes. */
export interface OwnPart {
  readonly name: PartName
  readonly path: string
}

/** A part that was left, and what is held of it. Nobody owns it yet. */
export interface LeftPart {
  readonly name: PartName
  readonly held: Held
}

/** What a folder works with. */
export interface FolderParts {
  /** Epoch ms. */
  now(): number
  readonly disk?: Disk
  /** Tokens of the parts that this process writes. Default: all of it share one set, whatever crawl they are of. */
  readonly mine?: Set<string>
}

/** The folder. */
export class FilesFolder {
  readonly disk: Disk
  readonly #root: string
  readonly #now: () => number
  readonly #mine: Set<string>
  /** Parts that nobody wrote when they were looked for, by key. */
  readonly #left = new Map<string, PartName[]>()
  readonly #made = new Set<string>()
  /** What ends in the background, by key: the next exchange of the same request waits for it. */
  readonly #ending = new Map<string, Promise<void>>()
  #lookedAt = -Infinity
  #looking: Promise<void> = Promise.resolve()

  constructor(root: string, { now, disk = nodeDisk, mine = OF_THIS_PROCESS }: FolderParts) {
    this.#root = root
    this.#now = now
    this.disk = disk
    this.#mine = mine
  }

  /** The part of `key` that can be resumed. It stays where it is: the exchange may never come to it. */
  async find(key: string): Promise<LeftPart | undefined> {
    await this.#ending.get(key)
    if (this.#now() >= this.#lookedAt + LOOK_MS) this.#looking = this.#look()
    await this.#looking
    for (const name of this.#left.get(key) ?? []) {
      const found = await this.#abandoned(name)
      const held = found && resumable(await readNote(this.disk, this.#pathOf(name)), found.size)
      if (held !== undefined) return { name, held }
    }
    return undefined
  }

  /** Whether something was left of `key`. */
  hasLeft(key: string): boolean {
    return (this.#left.get(key) ?? []).length > 0
  }

  /** Makes the part this process's, to go on with it. Throws where another process was quicker. */
  async take({ name, held }: LeftPart): Promise<OwnPart & { readonly file: OpenFile }> {
    const part = this.#own(name.key)
    try {
      // Before the part has its new name: a kill in between leaves it with the old note.
      await writeNote(this.disk, part.path, held)
      await this.disk.rename(this.#pathOf(name), part.path)
    } catch (error) {
      await this.leave(part, undefined)
      throw error
    }
    this.#left.set(name.key, this.#left.get(name.key)?.filter(({ token }) => token !== name.token) ?? [])
    await this.disk.remove(notePath(this.#pathOf(name)))
    return { ...part, file: await this.disk.reopen(part.path) }
  }

  /** Removes what was left of `key`: it starts over, or is settled. */
  async forget(key: string): Promise<void> {
    const left = this.#left.get(key) ?? []
    this.#left.delete(key)
    for (const name of left) if ((await this.#abandoned(name)) !== undefined) await removePart(this.disk, this.#pathOf(name))
  }

  /** A new part of `key`, empty. */
  async begin(key: string): Promise<OwnPart & { readonly file: OpenFile }> {
    await this.#makeFolders(PARTS)
    const part = this.#own(key)
    try {
      return { ...part, file: await this.disk.create(part.path) }
    } catch (error) {
      // Somebody may have removed the folder while the crawl runs.
      this.#made.clear()
      this.#mine.delete(part.name.token)
      throw error
    }
  }

  /** The part is whole and synced: it gets its name. Returns the path below the folder. */
  async finish({ name, path }: OwnPart, { to, sha256, extension }: FinishedFile): Promise<string> {
    const folders = [...(to === undefined ? [] : to.split('/')), sha256.slice(0, 2)]
    const folder = await this.#makeFolders(...folders)
    const file = `${sha256}.${extension}`
    await this.disk.rename(path, join(folder, file))
    await this.disk.syncFolder(folder)
    await this.disk.remove(notePath(path))
    this.#mine.delete(name.token)
    return [...folders, file].join('/')
  }

  /** The part ends without a file: with what is held of it, it may be resumed; otherwise it is removed. */
  async leave({ name, path }: OwnPart, held: Held | undefined): Promise<void> {
    try {
      if (held === undefined) return await removePart(this.disk, path)
      await writeNote(this.disk, path, held)
    } finally {
      this.#mine.delete(name.token)
    }
    this.#leftBehind(name)
  }

  /** Notes how much of the part is synced. */
  note({ path }: OwnPart, held: Held): Promise<void> {
    return writeNote(this.disk, path, held)
  }

  /** The disk failed: the part stays as it was last noted. */
  release({ name }: OwnPart): void {
    this.#mine.delete(name.token)
    this.#leftBehind(name)
  }

  /** Begins work on the parts of `key` in the background, after what is under way there; it must not throw. */
  ends(key: string, work: () => Promise<void>): void {
    const ended = (this.#ending.get(key) ?? Promise.resolve()).then(work)
    this.#ending.set(key, ended)
    void ended.then(() => this.#ending.get(key) === ended && this.#ending.delete(key))
  }

  /** When all of that is over. */
  async settled(): Promise<void> {
    await Promise.all(this.#ending.values())
  }

  /** Free bytes of its disk, where it is known. */
  async freeBytes(): Promise<number | undefined> {
    return (await this.disk.look(this.#root)) === undefined ? undefined : this.disk.freeBytes(this.#root)
  }

  get #parts(): string {
    return join(this.#root, PARTS)
  }

  #own(key: string): OwnPart {
    const name = newPartName(key)
    this.#mine.add(name.token)
    return { name, path: join(this.#parts, name.name) }
  }

  /** Looks for what was left, and removes what nobody will resume. All who want to know await one look. */
  async #look(): Promise<void> {
    this.#lookedAt = this.#now()
    const names = new Set(await this.disk.list(this.#parts, MOST_FILES))
    this.#left.clear()
    for (const name of names) {
      const partName = partOfFile(name)
      const part = readPartName(partName)
      const found = part && (await this.disk.look(join(this.#parts, name)))
      if (part === undefined || found?.isFile() !== true) continue
      const untouchedMs = this.#now() - found.mtimeMs
      const isUseless = untouchedMs > KEPT_MS || !names.has(partName)
      if (isUseless && isAbandoned(part, this.#mine, untouchedMs)) await this.disk.remove(join(this.#parts, name))
      else if (name === partName) this.#leftBehind(part)
    }
  }

  #leftBehind(part: PartName): void {
    const parts = this.#left.get(part.key) ?? []
    if (parts.length < MOST_PARTS && !this.#mine.has(part.token)) this.#left.set(part.key, [...parts, part])
  }

  #pathOf({ name }: PartName): string {
    return join(this.#parts, name)
  }

  /** The file of a part that nobody writes. */
  async #abandoned(name: PartName): Promise<{ readonly size: number } | undefined> {
    const found = await this.disk.look(this.#pathOf(name))
    return found?.isFile() === true && isAbandoned(name, this.#mine, this.#now() - found.mtimeMs) ? found : undefined
  }

  /** Folders inside each other, below the root; each must be a folder, and no link. Returns the path of the last. */
  async #makeFolders(...names: readonly string[]): Promise<string> {
    const last = join(this.#root, ...names)
    if (this.#made.has(last)) return last
    let path = this.#root
    // The root may be a link: it is the user's.
    await this.disk.makeRoot(path)
    for (const name of names) {
      const parent = path
      path = join(path, name)
      await this.disk.makeFolder(path)
      const found = await this.disk.look(path)
      if (found?.isDirectory() !== true) throw new Error(`expected ${path} to be a folder of its own, and it is none; remove it`)
      // Its name must not be lost before those in it.
      await this.disk.syncFolder(parent)
    }
    this.#made.add(last)
    return last
  }
}

/** What a whole file is called by. */
export interface FinishedFile {
  readonly to?: string | undefined
  readonly sha256: string
  readonly extension: string
}

/** All of a file may be there, and only its name was missing: its last byte is requested again, for no server sends a range of nothing. */
function resumable(held: Held | undefined, size: number): Held | undefined {
  if (held === undefined || held.bytes > size) return undefined
  const bytes = Math.min(held.bytes, (held.total ?? Infinity) - 1)
  return bytes >= 1 ? { ...held, bytes } : undefined
}
