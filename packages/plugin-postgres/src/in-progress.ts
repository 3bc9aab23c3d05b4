// Which pages of this process are in progress, kept where its death cannot lose it: in a file of this machine, as plugin-sqlite has it.
//
// Where the last holder of a host died, its machine may be gone with such a file. Pages of a host that was taken over from it are therefore written into the
// store as well, before their handlers begin: a page that kills machine after machine is found out all the same.
import { InProgressFile } from '@avocet/core/store'
import { numbersText } from './connection/array-text.ts'
import type { ServerStore } from './store.ts'

/** Those of one store. */
export class InProgress {
  readonly #store: ServerStore
  readonly #filesBase: string
  #file: InProgressFile | undefined
  /** Id of the process whose file that is. */
  #owner = 0
  #watched = ''

  constructor(store: ServerStore, filesBase: string) {
    this.#store = store
    this.#filesBase = filesBase
  }

  /** A promise where the store has to be told; what it cannot be told is a suspicion less. */
  write(ids: readonly number[]): Promise<void> | undefined {
    this.#ownFile.write(ids)
    const hosts = [...this.#store.held.values()].filter(({ isTakenOver }) => isTakenOver)
    const watched = numbersText(ids.filter((id) => hosts.some(({ out }) => out.has(id))))
    if (watched === this.#watched || (watched === '{}' && this.#watched === '')) return undefined
    this.#watched = watched
    const { connections, membership, durability } = this.#store
    return connections.call<unknown>('put_in_progress', [membership.id, watched, durability]).then(
      () => undefined,
      () => undefined,
    )
  }

  close(): void {
    this.#file?.close()
  }

  get #ownFile(): InProgressFile {
    const { id } = this.#store.membership
    if (this.#file !== undefined && this.#owner === id) return this.#file
    this.#file?.close()
    this.#owner = id
    return (this.#file = new InProgressFile(this.#filesBase, id))
  }
}
