// Which pages of this process are in progress, kept where its death cannot lose it: in a file of this machine, as plugin-sqlite has it.
//
// Where the last holder of a host died, its machine may be gone with such a file. Pages of a host that was taken over from it are therefore written into the
// store as well, before their handlers begin: a page that kills machine after machine is found out all the same. One write at a time, each of the list as it is
// by then, and numbered: one that a network holds back, and delivers when this process has given up waiting, takes back nothing. One that failed is made again
// with the next that is asked for.
import { InProgressFile } from '@avocet/store-sql'
import { numbersText } from './connection/storable-text.ts'
import type { ServerStore } from './store.ts'

const NONE = '{}'

/** Those of one store. */
export class InProgress {
  readonly #store: ServerStore
  readonly #filesBase: string
  #file: InProgressFile | undefined
  /** Id of the process whose file that is. */
  #owner = 0
  #watched = NONE
  /** What the store has, from the process with this token; undefined while it is written, and after that failed. */
  #told: { readonly token: string; readonly watched: string } | undefined = { token: '', watched: NONE }
  #last: Promise<void> = Promise.resolve()
  /** The write that has not begun. */
  #next: Promise<void> | undefined
  #no = 0

  constructor(store: ServerStore, filesBase: string) {
    this.#store = store
    this.#filesBase = filesBase
  }

  /** A promise where the store has to be told; what it cannot be told is a suspicion less. */
  write(ids: readonly number[]): Promise<void> | undefined {
    this.#ownFile.write(ids)
    const hosts = [...this.#store.held.values()].filter(({ isTakenOver }) => isTakenOver)
    this.#watched = numbersText(ids.filter((id) => hosts.some(({ out }) => out.has(id))))
    if (this.#isTold) return undefined
    this.#next ??= this.#last = this.#last.then(() => this.#tell())
    return this.#next
  }

  close(): void {
    this.#file?.close()
  }

  /** The store has nothing of a process that just signed in. */
  get #isTold(): boolean {
    if (this.#told === undefined) return false
    return (this.#told.token === this.#store.membership.token ? this.#told.watched : NONE) === this.#watched
  }

  async #tell(): Promise<void> {
    this.#next = undefined
    if (this.#isTold) return
    const watched = this.#watched
    const { connections, me, durability } = this.#store
    this.#told = undefined
    const isWritten = await connections
      .call<boolean>('put_in_progress', [...me, ++this.#no, watched, durability])
      .catch(() => false)
    if (isWritten) this.#told = { token: me[1], watched }
  }

  get #ownFile(): InProgressFile {
    const { id } = this.#store.membership
    if (this.#file !== undefined && this.#owner === id) return this.#file
    this.#file?.close()
    this.#owner = id
    return (this.#file = new InProgressFile(this.#filesBase, id))
  }
}
